#include "tools/check_driver/host_updates.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILES_MAX (2 * HY_MAX_CACHE_FILES)

struct update {
    struct update *next;
    uint8_t token[HY_TOKEN_SIZE];
    int32_t fds[FILES_MAX]; /* the model's, then the data's */
    uint32_t count;
    bool is_committed;
};

static struct update *first;
static uint32_t model_files, data_files;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void hy_host_update_expect(uint32_t model_count, uint32_t data_count)
{
    model_files = model_count;
    data_files = data_count;
}

static void destroy(struct update *update)
{
    while (update->count > 0)
        close(update->fds[--update->count]);
    free(update);
}

/* The link to an update of the token in the given state, or NULL. */
static struct update **find(const uint8_t *token, bool is_committed)
{
    struct update **link = &first;
    while (*link && ((*link)->is_committed != is_committed ||
                     memcmp((*link)->token, token, HY_TOKEN_SIZE) != 0))
        link = &(*link)->next;
    return *link ? link : NULL;
}

static struct update *create(const uint8_t *token)
{
    struct update *update = calloc(1, sizeof *update);
    if (!update)
        return NULL;
    memcpy(update->token, token, HY_TOKEN_SIZE);
    while (update->count < model_files + data_files) {
        const int fd = memfd_create("halyard-check-update", MFD_CLOEXEC);
        if (fd < 0) {
            destroy(update);
            return NULL;
        }
        update->fds[update->count++] = fd;
    }
    return update;
}

int32_t hy_host_update_begin(const uint8_t *token, int32_t *model, int32_t *data, void **update)
{
    struct update *made = create(token);
    if (!made)
        return HY_STATUS_GENERAL_FAILURE;
    pthread_mutex_lock(&mutex);
    const bool is_first = find(token, false) == NULL;
    if (is_first) {
        made->next = first;
        first = made;
    }
    pthread_mutex_unlock(&mutex);
    if (!is_first) {
        destroy(made);
        return HY_STATUS_GENERAL_FAILURE;
    }
    for (uint32_t i = 0; i < model_files; i++)
        model[i] = made->fds[i];
    for (uint32_t i = 0; i < data_files; i++) /* of no files there may be no list either */
        data[i] = made->fds[model_files + i];
    *update = made;
    return HY_STATUS_OK;
}

void hy_host_update_end(void *ended, bool keep, uint8_t *token)
{
    struct update *update = ended, *old = NULL;
    pthread_mutex_lock(&mutex);
    memcpy(token, update->token, HY_TOKEN_SIZE);
    struct update **link = find(update->token, keep);
    if (link) { /* what it replaces, or itself */
        old = *link;
        *link = old->next;
    }
    if (keep)
        update->is_committed = true;
    pthread_mutex_unlock(&mutex);
    if (old)
        destroy(old);
}

/* A descriptor of its own, at the beginning of the file. */
static int32_t reopen(int32_t fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

bool hy_host_update_open(const uint8_t *token, int32_t *model, int32_t *data)
{
    pthread_mutex_lock(&mutex);
    struct update **link = find(token, true);
    for (uint32_t i = 0; link && i < (*link)->count; i++) {
        int32_t *to = i < model_files ? &model[i] : &data[i - model_files];
        *to = reopen((*link)->fds[i]);
    }
    pthread_mutex_unlock(&mutex);
    return link != NULL;
}
