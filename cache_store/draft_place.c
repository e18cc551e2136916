/* The step in which a draft becomes the entry of its token. */
#include "cache_store/draft_folder.h"

#include "cache_store/directory/aside.h"
#include "cache_store/directory/folder.h"
#include "cache_store/store_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* How often what stands there may change, or be locked by who takes it away: that takes
 * microseconds, unless that one does not get to run. */
#define MOST_TRIES   1000
#define LOCK_WAIT_NS 1000000

static enum hy_code rename_error(const struct hy_draft_folder *making, struct hy_error *err)
{
    const int error = errno;
    return hy_fail(err, hy_folder_code(error), "%.16s…: %s", making->name.text, strerror(error));
}

/* The older entry goes where the draft was, in the same step: there is one at any time. It is
 * locked by us, so that nobody takes it for a draft that was left. */
static enum hy_code exchange(const struct hy_draft_folder *making, int shard, struct hy_error *err)
{
    const char *name = making->name.text;

    if (renameat2(making->drafts, name, shard, name, RENAME_EXCHANGE) == 0) {
        hy_aside_put(making->root, making->drafts, name, NULL);
        return HY_OK;
    }
    if (errno != EINVAL && errno != ENOSYS)
        return errno == ENOENT ? HY_UNAVAILABLE : rename_error(making, err);
    /* The file system cannot do it: for a moment there is none. */
    hy_aside_put(making->root, shard, name, NULL);
    return renameat(making->drafts, name, shard, name) == 0 ? HY_OK : rename_error(making, err);
}

/* UNAVAILABLE: try again. Whoever takes away an entry has it locked. */
static enum hy_code replace(const struct hy_draft_folder *making, int shard, struct hy_error *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_WAIT_NS};
    int folder = -1;

    enum hy_code code = hy_folder_open(shard, making->name.text, &folder, err);
    if (code == HY_BAD_DATA)
        hy_aside_put_strange(making->root, shard, making->name.text, NULL);
    if (code != HY_OK)
        return code == HY_BAD_DATA || code == HY_BAD_STATE ? HY_UNAVAILABLE : code;
    if (flock(folder, LOCK_EX | LOCK_NB) != 0) {
        nanosleep(&pause, NULL);
        code = HY_UNAVAILABLE;
    } else {
        code = hy_folder_is_at(shard, making->name.text, folder) ? exchange(making, shard, err)
                                                                 : HY_UNAVAILABLE;
        flock(folder, LOCK_UN);
    }
    close(folder);
    return code;
}

static enum hy_code try_place(const struct hy_draft_folder *making, int shard, struct hy_error *err)
{
    const char *name = making->name.text;

    if (renameat(making->drafts, name, shard, name) == 0)
        return HY_OK;
    if (errno == ENOTDIR)
        return hy_aside_unlink(shard, name) == 0 ? HY_UNAVAILABLE : rename_error(making, err);
    if (errno == ENOTEMPTY || errno == EEXIST)
        return replace(making, shard, err);
    return rename_error(making, err);
}

static enum hy_code place_in(const struct hy_draft_folder *making, int shard, struct hy_error *err)
{
    enum hy_code code = HY_UNAVAILABLE;

    for (int i = 0; code == HY_UNAVAILABLE && i < MOST_TRIES; i++)
        code = try_place(making, shard, err);
    if (code == HY_UNAVAILABLE)
        return hy_fail(err, HY_FAILED, "the older entry stays in its place");
    return code;
}

enum hy_code hy_draft_place(struct hy_draft_folder *making, struct hy_error *err)
{
    int shard = -1;

    if (!hy_folder_is_at(making->drafts, making->name.text, making->folder))
        return hy_fail(err, HY_FAILED, "somebody has removed the draft");
    enum hy_code code =
        hy_store_inner_make(making->root, hy_shard_name_make(making->token[0]).text, &shard, err);
    if (code != HY_OK)
        return code;
    code = place_in(making, shard, err);
    close(shard);
    return code;
}
