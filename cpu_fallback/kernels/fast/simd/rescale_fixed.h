/*
 * The functions of rescale.h in fixed point, for sets with fast fixed-point arithmetic: three
 * instructions a vector on arm64, fewer than floats need. Included by rescale.h.
 */

/* The header words of a packed vector of channels; each word is a vector. */
enum rescale_word { START, /* initial value of sums */ MANTISSA, EXPONENT, HEADER_WORDS };

#define RESCALE_IN_REGISTERS false /* the constants take too many registers */

struct rescale_packer {
    struct rescale_layer layer;
};

static inline struct rescale_packer rescale_packer_of(struct rescale_layer layer)
{
    return (struct rescale_packer){layer};
}

/* Packs the header of a panel of vectors. */
static inline void rescale_pack(struct rescale_packer *packer,
                                const struct rescale_channels *channels, size_t vectors,
                                int32_t *to)
{
    const size_t step = vectors * HY_LANES;

    (void)packer;
    for (size_t i = 0; i < step; i++) {
        const struct rescale_channels *c = &channels[i / HY_LANES];
        to[START * step + i] = c->start[i % HY_LANES];
        to[MANTISSA * step + i] = c->multipliers[i % HY_LANES].mantissa;
        to[EXPONENT * step + i] = c->multipliers[i % HY_LANES].exponent;
    }
}

/* Constants of all channels. */
struct rescale {
    bool halves_away;
    int32_t zero_point;
    vi min, max; /* of bytes */
};

static inline struct rescale rescale_of(bool halves_away, int32_t min, int32_t max,
                                        int32_t zero_point)
{
    return (struct rescale){.halves_away = halves_away,
                            .zero_point = zero_point,
                            .min = vb_set1(min),
                            .max = vb_set1(max)};
}

static inline bool rescale_has_offsets(const int32_t *panel, size_t step)
{
    (void)panel, (void)step;
    return true; /* no offsets are needed */
}

struct rescale_numbers {
    struct vi_scale scales[4];
};

static inline struct rescale_numbers rescale_numbers_of(const struct rescale *r,
                                                        const struct rescale_headers *h)
{
    struct rescale_numbers n;

    (void)r;
    HY_UNROLL(4)
    for (int i = 0; i < 4; i++)
        n.scales[i] = vi_scale_from(vi_load(h->of[i] + MANTISSA * h->step),
                                    vi_load(h->of[i] + EXPONENT * h->step));
    return n;
}

/* Converts four vectors of sums to bytes, in order. */
static inline __attribute__((always_inline)) vi
rescale(const struct rescale_numbers *n, const struct rescale *r, const struct rescale_headers *h,
        const vi sums[4], enum rescale_way way, bool is_signed)
{
    vi x[4];

    (void)h, (void)way;
    HY_UNROLL(4)
    for (int i = 0; i < 4; i++)
        x[i] = r->halves_away ? vi_scale_half_away(sums[i], &n->scales[i])
                              : vi_scale_half_up(sums[i], &n->scales[i]);
    const vi bytes = vb_narrow(x[0], x[1], x[2], x[3], r->zero_point, is_signed);
    return vb_min(r->max, vb_max(r->min, bytes, is_signed), is_signed);
}
