#include "cache_store/draft.h"

#include "cache_store/directory/aside.h"
#include "cache_store/directory/folder.h"
#include "cache_store/draft_folder.h"
#include "cache_store/room.h"
#include "cache_store/store_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often others may clear away the folder between making and locking it. */
#define MOST_TRIES 8

/* ---- Files ----------------------------------------------------------------------------------- */

static enum hy_code create_files(struct hy_draft_folder *making, struct hy_error *err)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL;
    struct hy_draft *draft = &making->draft;
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < draft->counts.model; i++)
        code = hy_file_open(making->folder, hy_model_name_make(i).text, flags, &draft->model[i],
                            NULL, err);
    for (uint32_t i = 0; code == HY_OK && i < draft->counts.data; i++)
        code = hy_file_open(making->folder, hy_data_name_make(i).text, flags, &draft->data[i], NULL,
                            err);
    return code;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_files(struct hy_draft *draft)
{
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++) {
        close_one(&draft->model[i]);
        close_one(&draft->data[i]);
    }
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* A child that was forked meanwhile may hold on to the descriptor: the lock must not stay with it.
 */
static void leave_folder(struct hy_draft_folder *making)
{
    close_files(&making->draft);
    if (making->folder >= 0)
        flock(making->folder, LOCK_UN);
    close_one(&making->folder);
}

/* Only what is still locked and in its place is ours to remove. */
static void remove_folder(struct hy_draft_folder *making)
{
    if (making->folder >= 0 && hy_folder_is_at(making->drafts, making->name.text, making->folder))
        hy_aside_put(making->root, making->drafts, making->name.text, NULL);
    leave_folder(making);
}

/* Makes the folder, or finds that of somebody else, who may have died. UNAVAILABLE: it has gone
 * again, or was a leftover that went now. */
static enum hy_code try_folder(struct hy_draft_folder *making, struct hy_error *err)
{
    const char *name = making->name.text;

    if (hy_folder_mkdir(making->drafts, name) != 0 && errno != EEXIST)
        return hy_fail(err, hy_folder_code(errno), "%s: %s", HY_NAME_DRAFTS, strerror(errno));
    enum hy_code code = hy_folder_open(making->drafts, name, &making->folder, err);
    if (code == HY_BAD_DATA)
        hy_aside_put_strange(making->root, making->drafts, name, NULL);
    if (code == HY_BAD_DATA || code == HY_BAD_STATE)
        return HY_UNAVAILABLE;
    if (code != HY_OK)
        return code;
    if (flock(making->folder, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        close_one(&making->folder);
        return hy_fail(err, error == EWOULDBLOCK ? HY_BAD_STATE : HY_FAILED, "%s",
                       error == EWOULDBLOCK ? "somebody else makes it" : strerror(error));
    }
    if (!hy_folder_is_at(making->drafts, name, making->folder)) {
        leave_folder(making);
        return HY_UNAVAILABLE;
    }
    code = create_files(making, err);
    if (code != HY_OK)
        remove_folder(making);
    return code == HY_BAD_STATE ? HY_UNAVAILABLE : code;
}

static enum hy_code make_folder(struct hy_draft_folder *making, struct hy_error *err)
{
    enum hy_code code = HY_UNAVAILABLE;
    for (int i = 0; code == HY_UNAVAILABLE && i < MOST_TRIES; i++)
        code = try_folder(making, err);
    if (code == HY_UNAVAILABLE)
        return hy_fail(err, HY_BAD_STATE, "others clear it away all the time");
    return code;
}

/* ---- From beginning to end ------------------------------------------------------------------- */

static struct hy_draft_folder *allocate(const struct hy_store *store, const uint8_t *token,
                                        struct hy_file_counts counts)
{
    struct hy_draft_folder *making = calloc(1, sizeof *making);
    if (!making)
        return NULL;
    making->draft.counts = counts;
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        making->draft.model[i] = making->draft.data[i] = -1;
    memcpy(making->token, token, HY_TOKEN_SIZE);
    making->name = hy_token_name_make(token);
    making->limit = hy_store_limit(store);
    making->root = making->drafts = making->folder = -1;
    return making;
}

static void finish(struct hy_draft_folder *making)
{
    leave_folder(making);
    close_one(&making->drafts);
    close_one(&making->root);
    free(making);
}

static enum hy_code begin(struct hy_draft_folder *making, const struct hy_store *store,
                          struct hy_error *err)
{
    enum hy_code code = hy_store_root_make(store, &making->root, err);
    if (code == HY_OK)
        code = hy_store_inner_make(making->root, HY_NAME_DRAFTS, &making->drafts, err);
    if (code != HY_OK)
        return code;
    hy_aside_sweep(making->root, NULL);
    return make_folder(making, err);
}

enum hy_code hy_draft_create(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                             struct hy_file_counts counts, struct hy_draft **ret,
                             struct hy_error *err)
{
    if (counts.model > HY_MAX_CACHE_FILES || counts.data > HY_MAX_CACHE_FILES)
        return hy_fail(err, HY_FAILED, "cache draft: %u model and %u data files, at most %u each",
                       counts.model, counts.data, HY_MAX_CACHE_FILES);
    if (hy_store_limit(store) == 0)
        return hy_fail(err, HY_EXHAUSTED, "cache draft: the limit of the cache is 0 bytes");
    struct hy_draft_folder *making = allocate(store, token, counts);
    if (!making)
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache draft");

    enum hy_code code = begin(making, store, err);
    if (code != HY_OK) {
        finish(making);
        return hy_error_prefix(err, code, "cache draft");
    }
    *ret = &making->draft;
    return HY_OK;
}

enum hy_code hy_draft_publish(struct hy_draft *draft, const struct hy_entry_facts *facts,
                              bool kept_open, struct hy_error *err)
{
    struct hy_draft_folder *making = (struct hy_draft_folder *)draft;
    struct hy_used used = {0};
    uint64_t bytes = 0;

    enum hy_code code = hy_draft_seal(making, facts, kept_open, &bytes, err);
    if (code == HY_OK) {
        used = hy_used_add(making->root, bytes);
        code = hy_draft_place(making, err);
    }
    if (code != HY_OK)
        remove_folder(making);
    leave_folder(making);
    if (code == HY_OK)
        hy_room_keep(making->root, making->limit, used);
    finish(making);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "cache entry not published");
}

void hy_draft_drop(struct hy_draft *draft)
{
    if (!draft)
        return;
    struct hy_draft_folder *making = (struct hy_draft_folder *)draft;
    remove_folder(making);
    finish(making);
}
