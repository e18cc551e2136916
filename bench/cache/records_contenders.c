#include "bench/cache/records_store.h"

#include "cache_store/records/records.h"

#include <fcntl.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hy_records_owner owner = {.user = 1000, .driver = "driver", .build = "1.0 b1"};

static bool records_open(const char *dir, void **ret)
{
    struct hy_records *records;
    if (hy_records_open(dir, &records, NULL) != HY_OK)
        return false;
    *ret = records;
    return true;
}

static void records_close(void *self)
{
    hy_records_close(self);
}

static bool records_store(void *self, const uint8_t *token, const uint8_t *digest)
{
    return hy_digest_store(self, &owner, token, digest, NULL) == HY_OK;
}

static bool records_find(void *self, const uint8_t *token, uint8_t *digest)
{
    return hy_digest_find(self, &owner, token, digest, NULL) == HY_OK;
}

static bool records_store_blob(void *self, uint32_t key, const void *blob, size_t length)
{
    return hy_blob_store(self, &owner, &key, sizeof key, blob, length, NULL) == HY_OK;
}

static bool records_load_blob(void *self, uint32_t key, void *blob, size_t length)
{
    uint64_t found;
    return hy_blob_load(self, &owner, &key, sizeof key, blob, length, &found, NULL) == HY_OK &&
           found == length;
}

const struct contender hy_contender_records = {
    .name = "SQLite",
    .file = "records-2.db",
    .open = records_open,
    .close = records_close,
    .store = records_store,
    .find = records_find,
    .store_blob = records_store_blob,
    .load_blob = records_load_blob,
};

struct lmdb {
    MDB_env *env;
    MDB_dbi digests, blobs;
};

static void lmdb_close(void *self)
{
    struct lmdb *lmdb = self;
    mdb_env_close(lmdb->env);
    free(lmdb);
}

static bool lmdb_open(const char *dir, void **ret)
{
    struct lmdb *lmdb = calloc(1, sizeof *lmdb);
    MDB_txn *txn = NULL;

    if (!lmdb || mdb_env_create(&lmdb->env) != 0)
        abort();
    bool is_open = mdb_env_set_mapsize(lmdb->env, (size_t)2 << 30) == 0 &&
                   mdb_env_set_maxdbs(lmdb->env, 2) == 0 &&
                   mdb_env_open(lmdb->env, dir, MDB_NOSYNC, 0600) == 0 &&
                   mdb_txn_begin(lmdb->env, NULL, 0, &txn) == 0;
    is_open = is_open && mdb_dbi_open(txn, "digests", MDB_CREATE, &lmdb->digests) == 0 &&
              mdb_dbi_open(txn, "blobs", MDB_CREATE, &lmdb->blobs) == 0;
    if (is_open)
        is_open = mdb_txn_commit(txn) == 0;
    else if (txn)
        mdb_txn_abort(txn);
    if (!is_open)
        lmdb_close(lmdb);
    else
        *ret = lmdb;
    return is_open;
}

static bool lmdb_put(struct lmdb *lmdb, MDB_dbi dbi, MDB_val key, MDB_val value)
{
    MDB_txn *txn;
    if (mdb_txn_begin(lmdb->env, NULL, 0, &txn) != 0)
        return false;
    if (mdb_put(txn, dbi, &key, &value, 0) == 0)
        return mdb_txn_commit(txn) == 0;
    mdb_txn_abort(txn);
    return false;
}

static bool lmdb_get(struct lmdb *lmdb, MDB_dbi dbi, MDB_val key, void *capacity, size_t length)
{
    MDB_txn *txn;
    MDB_val value;
    if (mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &txn) != 0)
        return false;
    const bool found = mdb_get(txn, dbi, &key, &value) == 0 && value.mv_size == length;
    if (found)
        memcpy(capacity, value.mv_data, length);
    mdb_txn_abort(txn);
    return found;
}

static bool lmdb_store(void *self, const uint8_t *token, const uint8_t *digest)
{
    struct lmdb *lmdb = self;
    return lmdb_put(lmdb, lmdb->digests, (MDB_val){32, (void *)token},
                    (MDB_val){32, (void *)digest});
}

static bool lmdb_find(void *self, const uint8_t *token, uint8_t *digest)
{
    struct lmdb *lmdb = self;
    return lmdb_get(lmdb, lmdb->digests, (MDB_val){32, (void *)token}, digest, 32);
}

static bool lmdb_store_blob(void *self, uint32_t key, const void *blob, size_t length)
{
    struct lmdb *lmdb = self;
    return lmdb_put(lmdb, lmdb->blobs, (MDB_val){sizeof key, &key},
                    (MDB_val){length, (void *)blob});
}

static bool lmdb_load_blob(void *self, uint32_t key, void *blob, size_t length)
{
    struct lmdb *lmdb = self;
    return lmdb_get(lmdb, lmdb->blobs, (MDB_val){sizeof key, &key}, blob, length);
}

const struct contender hy_contender_lmdb = {
    .name = "LMDB",
    .file = "data.mdb",
    .open = lmdb_open,
    .close = lmdb_close,
    .store = lmdb_store,
    .find = lmdb_find,
    .store_blob = lmdb_store_blob,
    .load_blob = lmdb_load_blob,
};
