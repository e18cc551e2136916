#include "cache_store/store.h"

#include "cache_store/directory/names.h"
#include "cache_store/directory/private_dir.h"
#include "cache_store/directory/trash.h"
#include "cache_store/store_dirs.h"
#include "common/absolute_path.h"
#include "common/make_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hy_store {
    uint64_t limit;
    char *path; /* absolute: the working directory may change */
    char *root; /* halyard-cache in `path` */
    atomic_uint holders;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static enum hy_code open_dir(const struct hy_store *store, int *ret, struct hy_error *err)
{
    const int fd = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return hy_fail(err, hy_dir_code(errno), "%s: %s", store->path, strerror(errno));
    *ret = fd;
    return HY_OK;
}

static enum hy_code init(struct hy_store *store, const char *dir, bool create, struct hy_error *err)
{
    int fd = -1;

    store->path = hy_absolute_path(dir);
    if (!store->path)
        return hy_fail(err, hy_dir_code(errno), "%s: %s", dir, strerror(errno));
    if (asprintf(&store->root, "%s/%s", store->path, HY_NAME_ROOT) < 0) {
        store->root = NULL;
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache folder");
    }
    if (create)
        (void)hy_make_dirs(store->path, S_IRWXU); /* checked by opening it */
    enum hy_code code = open_dir(store, &fd, err);
    if (code == HY_OK)
        close(fd);
    return code == HY_EXHAUSTED ? HY_FAILED : code;
}

enum hy_code hy_store_open(const char *dir, bool create, uint64_t limit, struct hy_store **ret,
                           struct hy_error *err)
{
    struct hy_store *store = calloc(1, sizeof *store);
    if (!store)
        return hy_fail(err, HY_OUT_OF_MEMORY, "cache folder");
    store->limit = limit;
    atomic_init(&store->holders, 1);
    enum hy_code code = init(store, dir, create, err);
    if (code != HY_OK) {
        hy_store_close(store);
        return hy_error_prefix(err, code, "cache folder");
    }
    *ret = store;
    return HY_OK;
}

struct hy_store *hy_store_retain(struct hy_store *store)
{
    atomic_fetch_add_explicit(&store->holders, 1, memory_order_relaxed);
    return store;
}

void hy_store_close(struct hy_store *store)
{
    if (!store || atomic_fetch_sub_explicit(&store->holders, 1, memory_order_acq_rel) != 1)
        return;
    free(store->path);
    free(store->root);
    free(store);
}

bool hy_store_is_same(const struct hy_store *one, const struct hy_store *other)
{
    return strcmp(one->path, other->path) == 0;
}

uint64_t hy_store_limit(const struct hy_store *store)
{
    return store->limit;
}

/* ---- Directories of a store ------------------------------------------------------------------ */

/* A foreign file with the name of the root is not removed. */
static enum hy_code root_code(enum hy_code code)
{
    return code == HY_BAD_DATA ? HY_FAILED : code;
}

enum hy_code hy_store_root(const struct hy_store *store, int *ret, struct hy_error *err)
{
    int dir = -1;
    if (hy_dir_open(AT_FDCWD, store->root, ret, NULL) == HY_OK) /* the usual case */
        return HY_OK;
    enum hy_code code = open_dir(store, &dir, err);
    if (code != HY_OK)
        return code;
    code = hy_dir_open(dir, HY_NAME_ROOT, ret, err);
    close(dir);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, root_code(code), "%s", store->path);
}

enum hy_code hy_store_root_make(const struct hy_store *store, int *ret, struct hy_error *err)
{
    int dir = -1;
    enum hy_code code = open_dir(store, &dir, err);
    if (code != HY_OK)
        return code;
    code = hy_dir_make(dir, HY_NAME_ROOT, ret, err);
    close(dir);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, root_code(code), "%s", store->path);
}

enum hy_code hy_store_inner(int root, const char *name, int *ret, struct hy_error *err)
{
    enum hy_code code = hy_dir_open(root, name, ret, err);
    if (code == HY_BAD_DATA && hy_trash_put_strange(root, root, name, NULL) == 0)
        return hy_fail(err, HY_BAD_STATE, "%s: does not exist", name);
    return root_code(code);
}

enum hy_code hy_store_inner_make(int root, const char *name, int *ret, struct hy_error *err)
{
    enum hy_code code = hy_dir_make(root, name, ret, err);
    if (code == HY_BAD_DATA && hy_trash_put_strange(root, root, name, NULL) == 0)
        code = hy_dir_make(root, name, ret, err);
    return root_code(code);
}
