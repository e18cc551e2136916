#ifndef HY_CACHE_STORE_DRAFT_FOLDER_H
#define HY_CACHE_STORE_DRAFT_FOLDER_H

#include "cache_store/directory/names.h"
#include "cache_store/draft.h"

/* What is behind a draft, for the files that make, seal and publish it. */
struct hy_draft_folder {
    struct hy_draft draft; /* first: what the caller sees */
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_token_name name;
    uint64_t limit; /* of the store */
    int root;
    int drafts; /* the folder of all drafts */
    int folder; /* of this one: locked, so that nobody else touches it */
};

/* Writes the metadata and the file of the restore mark, and makes data files that are to be mapped
 * read-only for good where the file system can do that; `ret` is the bytes of all. Errors: as
 * hy_draft_publish. */
HY_MUST_CHECK enum hy_code hy_draft_seal(struct hy_draft_folder *making,
                                         const struct hy_entry_facts *facts, bool kept_open,
                                         uint64_t *ret, struct hy_error *err);

/* Gives the sealed folder its name. Errors: FAILED, EXHAUSTED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_draft_place(struct hy_draft_folder *making, struct hy_error *err);

#endif
