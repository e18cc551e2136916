#include "tools/cache/listing.h"
#include "tools/print_json.h"
#include "tools/token_text.h"

static json_t *entry_object(const struct halyard_cache_entry *entry)
{
    char token[HY_TOKEN_TEXT_SIZE];
    hy_token_text(entry->token, token);
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:i, s:i, s:I, s:I, s:b, s:I, s:I, s:I, s:o}",
                     "token", token, "device", hy_json_text(entry->device), "version",
                     hy_json_text(entry->version), "build_id", hy_json_text(entry->build_id),
                     "operations", (json_int_t)entry->operation_count, "preference",
                     (int)entry->preference, "priority", (int)entry->priority, "model_files",
                     (json_int_t)entry->model_files, "data_files", (json_int_t)entry->data_files,
                     "kept_open", (int)entry->kept_open, "bytes", (json_int_t)entry->bytes,
                     "created", (json_int_t)entry->created, "used", (json_int_t)entry->used,
                     "fault", *entry->fault ? hy_json_text(entry->fault) : json_null());
}

static json_t *summary_object(const struct halyard_cache_summary *summary)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "entries", (json_int_t)summary->entries,
                     "bytes", (json_int_t)summary->bytes, "faulty", (json_int_t)summary->faulty,
                     "removed", (json_int_t)summary->removed, "removed_bytes",
                     (json_int_t)summary->removed_bytes, "leftovers",
                     (json_int_t)summary->leftovers);
}

enum hy_code hy_cache_listing_print_json(const struct hy_cache_listing *listing,
                                         enum hy_cache_view view, struct hy_error *err)
{
    json_t *entries = json_array();
    for (uint32_t i = 0; i < listing->count; i++)
        json_array_append_new(entries, entry_object(&listing->entries[i]));
    return hy_json_print(json_pack("{s:o, s:o}",
                                   view == HY_CACHE_VIEW_REMOVED ? "removed" : "entries", entries,
                                   "summary", summary_object(&listing->summary)),
                         err);
}
