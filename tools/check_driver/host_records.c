#include "tools/check_driver/host_records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct record {
    struct record *next;
    enum hy_record_kind kind;
    uint64_t key_length, length;
    uint8_t bytes[]; /* the key, then the value */
};

static struct record *first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The link to the record, or the NULL link for a new record. */
static struct record **find(enum hy_record_kind kind, const void *key, uint64_t key_length)
{
    struct record **link = &first;
    while (*link && ((*link)->kind != kind || (*link)->key_length != key_length ||
                     memcmp((*link)->bytes, key, key_length) != 0))
        link = &(*link)->next;
    return link;
}

static void drop(struct record **link)
{
    struct record *record = *link;
    if (!record)
        return;
    *link = record->next;
    free(record);
}

bool hy_record_store(enum hy_record_kind kind, const void *key, uint64_t key_length,
                     const void *value, uint64_t length)
{
    struct record *record = malloc(sizeof *record + key_length + length);
    if (!record)
        return false;
    record->kind = kind;
    record->key_length = key_length;
    record->length = length;
    memcpy(record->bytes, key, key_length);
    if (length > 0)
        memcpy(record->bytes + key_length, value, length);
    pthread_mutex_lock(&mutex);
    drop(find(kind, key, key_length));
    record->next = first;
    first = record;
    pthread_mutex_unlock(&mutex);
    return true;
}

int64_t hy_record_load(enum hy_record_kind kind, const void *key, uint64_t key_length, void *value,
                       uint64_t capacity)
{
    int64_t length = -1;
    pthread_mutex_lock(&mutex);
    const struct record *record = *find(kind, key, key_length);
    if (record) {
        length = (int64_t)record->length;
        if (record->length <= capacity && record->length > 0)
            memcpy(value, record->bytes + key_length, record->length);
    }
    pthread_mutex_unlock(&mutex);
    return length;
}

bool hy_record_has(enum hy_record_kind kind, const void *key, uint64_t key_length, uint64_t offset,
                   const void *bytes, uint64_t length)
{
    pthread_mutex_lock(&mutex);
    const struct record *record = *find(kind, key, key_length);
    const bool has =
        record && offset <= record->length && length <= record->length - offset &&
        (length == 0 || memcmp(record->bytes + key_length + offset, bytes, length) == 0);
    pthread_mutex_unlock(&mutex);
    return has;
}

void hy_record_remove(enum hy_record_kind kind, const void *key, uint64_t key_length)
{
    pthread_mutex_lock(&mutex);
    drop(find(kind, key, key_length));
    pthread_mutex_unlock(&mutex);
}
