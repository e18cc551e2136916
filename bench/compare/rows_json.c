#include "bench/compare/rows_json.h"

#include <jansson.h>
#include <stdlib.h>

struct hy_rows_json {
    json_t *rows;
};

struct hy_rows_json *hy_rows_json_create(void)
{
    struct hy_rows_json *rows = calloc(1, sizeof *rows);
    if (!rows)
        return NULL;
    rows->rows = json_array();
    if (rows->rows)
        return rows;
    free(rows);
    return NULL;
}

void hy_rows_json_destroy(struct hy_rows_json *rows)
{
    if (!rows)
        return;
    json_decref(rows->rows);
    free(rows);
}

/* Missing ratios and times are 0. */
static json_t *real_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static enum hy_code add_row(struct hy_rows_json *rows, int32_t threads, const char *model,
                            const struct hy_row *row, struct hy_error *err)
{
    const char *peer = row->best_peer < HY_ENGINE_COUNT ? hy_engine_name(row->best_peer) : NULL;
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:f, s:f, s:s?, s:o, s:o, s:o}", "model", model, "kind",
                  row->kind, "threads", threads, row->is_bytes ? "halyard_bytes" : "halyard_us",
                  row->halyard, "halyard_spread", row->halyard_spread, "best_peer", peer,
                  row->is_bytes ? "best_peer_bytes" : "best_peer_us", real_or_null(row->peer),
                  "ratio", real_or_null(row->ratio), "target", real_or_null(row->target));
    if (!object || json_array_append_new(rows->rows, object) != 0)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a row of %s", model);
    return HY_OK;
}

enum hy_code hy_rows_json_add(struct hy_rows_json *rows, int32_t threads,
                              const struct hy_comparison_result *result, struct hy_error *err)
{
    struct hy_row list[HY_ROWS_MOST];
    const uint32_t count = hy_rows_of(result, list);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = add_row(rows, threads, result->model, &list[i], err);
    return code;
}

enum hy_code hy_rows_json_write(const struct hy_rows_json *rows, const char *path,
                                struct hy_error *err)
{
    json_t *root = json_pack("{s:O}", "rows", rows->rows);
    const int failed = root ? json_dump_file(root, path, JSON_INDENT(2)) : -1;
    json_decref(root);
    return failed ? hy_fail(err, HY_FAILED, "%s cannot be written", path) : HY_OK;
}
