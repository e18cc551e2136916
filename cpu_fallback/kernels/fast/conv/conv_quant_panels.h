/* The layout of packed weights. Included after `struct tile` is defined. */
struct panels {
    const int32_t *shared[2]; /* shared words of panels of 1 and 2 vectors; NULL: not shared */
    const int32_t *first;
    size_t header_words, vector_words;
    size_t channels;
};

static inline struct panels panels_of(const struct hy_conv_params *p, const int32_t *packed)
{
    const int32_t *one = packed + conv_shared_words_of(p, 2);

    return (struct panels){
        .shared = {p->has_one_multiplier ? one : NULL, p->has_one_multiplier ? packed : NULL},
        .first = packed + conv_shared_words(p),
        .header_words = conv_header_words(p),
        .vector_words = conv_vector_words(p),
        .channels = p->out_c};
}

/* Sets the panel of the channels from `channel` on. */
HY_ALWAYS_INLINE void set_panel(const struct panels *panels, size_t channel, struct tile *t)
{
    const size_t left = panels->channels - channel;
    const bool is_wide = left > HY_LANES;

    t->columns = left < HY_PANEL ? left : HY_PANEL;
    t->panel = panels->first + channel / HY_LANES * panels->vector_words;
    t->weights =
        (const int8_t *)(t->panel + panels->header_words * (is_wide ? HY_PANEL : HY_LANES));
    t->header = panels->shared[is_wide] ? panels->shared[is_wide] : t->panel;
}
