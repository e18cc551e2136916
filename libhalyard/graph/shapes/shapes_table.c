#include "common/texts.h"
#include "libhalyard/graph/shapes/shape_rules.h"

/* Inputs of HASHTABLE_FIND. */
enum { QUERIES, KEYS, VALUES, DEFAULT };

/* The longest text of a constant. */
static uint64_t longest_text(struct hy_shaping *shaping, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_shaping_input(shaping, input);
    uint64_t longest = 0;
    struct hy_texts texts = {0};
    struct hy_text text;

    hy_shaping_expect(shaping,
                      tensor->data && hy_texts_open(tensor->data, (size_t)tensor->bytes, &texts));
    for (uint32_t i = 0; shaping->fits && i < texts.count; i++) {
        hy_shaping_expect(shaping, hy_texts_at(&texts, i, &text));
        if (shaping->fits && text.length > longest)
            longest = text.length;
    }
    return longest;
}

/* A blob with capacity for the longest text for each query. */
static void give_blob(struct hy_shaping *shaping)
{
    const struct hy_shape queries = hy_shaping_shape(shaping, QUERIES);
    const uint64_t values = longest_text(shaping, VALUES), other = longest_text(shaping, DEFAULT);
    struct hy_shape shape = {0};
    uint64_t count;

    hy_shaping_expect(shaping,
                      hy_graph_tensor_elements(hy_shaping_input(shaping, QUERIES), &count) &&
                          count <= INT32_MAX && queries.rank <= HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    hy_shaping_append(shaping, &shape,
                      (int64_t)(hy_texts_head(count) + count * (values > other ? values : other)));
    hy_shaping_give(shaping, 0, &shape);
}

/* The texts of a lookup have the output's shape of the file. */
void hy_shape_hashtable_find(struct hy_shaping *shaping)
{
    if (hy_shaping_input(shaping, VALUES)->element == HY_ELEMENT_STRING)
        give_blob(shaping);
    else if (hy_shaping_input(shaping, QUERIES)->element != HY_ELEMENT_STRING)
        hy_shape_like_first(shaping);
}

/* A row and a hit flag for each key. */
void hy_shape_hashtable_lookup(struct hy_shaping *shaping)
{
    const struct hy_shape keys = hy_shaping_shape(shaping, 0);
    struct hy_shape rows = hy_shaping_shape(shaping, 2);

    hy_shaping_expect(shaping, keys.rank == 1 && rows.rank >= 1);
    if (!shaping->fits)
        return;
    rows.extents[0] = keys.extents[0];
    hy_shaping_give(shaping, 0, &rows);
    hy_shaping_give(shaping, 1, &keys);
}
