/* Cache files: B24. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/check_driver/check.h"

#define GARBAGE "these bytes are no cache of anybody"

/* The files of one entry: the model's, then the data's. */
struct files {
    int32_t fds[2 * HY_MAX_CACHE_FILES];
    uint32_t count;
};

static bool open_files(const struct hy_check *check, int flags, struct files *files)
{
    const uint32_t wanted = check->info.model_cache_files + check->info.data_cache_files;
    for (files->count = 0; files->count < wanted && files->count < 2 * HY_MAX_CACHE_FILES;) {
        const int fd = flags == O_RDWR ? memfd_create("halyard-check-cache", MFD_CLOEXEC)
                                       : open("/dev/null", flags | O_CLOEXEC);
        if (fd < 0)
            return false;
        files->fds[files->count++] = fd;
    }
    return files->count == wanted;
}

static void close_files(struct files *files)
{
    while (files->count > 0)
        close(files->fds[--files->count]);
}

static struct hy_prepare_options options_for(const struct hy_check *check,
                                             const struct files *files)
{
    static const uint8_t token[HY_TOKEN_SIZE] = {1, 2, 3};
    return (struct hy_prepare_options){
        .struct_size = sizeof(struct hy_prepare_options),
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = HY_NO_DEADLINE,
        .model_cache = files->fds,
        .data_cache = files->fds + check->info.model_cache_files,
        .model_cache_count = check->info.model_cache_files,
        .data_cache_count = check->info.data_cache_files,
        .token = token,
    };
}

/* Prepares with these files, from the model or from them alone, and runs what came of it. */
static void run_with(struct hy_check *check, struct hy_sample *sample, const struct files *files,
                     bool from_cache, bool may_fail, const char *words)
{
    const struct hy_prepare_options options = options_for(check, files);
    void *prepared = NULL;
    hy_board_step(check->board, HY_RULE_B24, "%s, %s", sample->vector->name, words);
    const int32_t status =
        from_cache ? check->table.prepare_from_cache(check->device, &options, &prepared)
                   : check->table.prepare(check->device, &sample->draft.model, &options, &prepared);
    hy_check_status(check, from_cache ? "prepare_from_cache" : "prepare", status);
    if (status != HY_STATUS_OK || !prepared) {
        if (!may_fail || status == HY_STATUS_OK)
            hy_board_find(check->board, HY_RULE_B24, "%s, %s: it answered %s", sample->vector->name,
                          words, hy_status_text(status));
        return;
    }
    void *kept = sample->prepared;
    sample->prepared = prepared;
    hy_sample_run(check, HY_RULE_B24, sample);
    check->table.prepared_destroy(prepared);
    sample->prepared = kept;
}

/* Every file of the model cache has other bytes: what comes of it is an error or right. */
static bool spoil(const struct hy_check *check, const struct files *files)
{
    bool done = true;
    for (uint32_t i = 0; i < check->info.model_cache_files; i++)
        done = pwrite(files->fds[i], GARBAGE, sizeof GARBAGE, 0) == sizeof GARBAGE && done;
    return done;
}

static void check_model(struct hy_check *check, struct hy_sample *sample)
{
    struct files files = {0};
    if (open_files(check, O_RDWR, &files)) {
        run_with(check, sample, &files, false, false, "prepared with empty cache files");
        if (check->table.prepare_from_cache) {
            run_with(check, sample, &files, true, true, "prepared from its cache files");
            if (spoil(check, &files))
                run_with(check, sample, &files, true, true, "prepared from spoiled cache files");
        }
        run_with(check, sample, &files, false, false, "prepared with full cache files");
    }
    close_files(&files);
    if (open_files(check, O_RDONLY, &files))
        run_with(check, sample, &files, false, false,
                 "prepared with cache files that do not write");
    close_files(&files);
}

void hy_check_cache(struct hy_check *check)
{
    const struct hy_trial_form form = {.kind = HY_POOL_MMAP_FD};
    const struct hy_vector *vector;
    if (check->info.model_cache_files + check->info.data_cache_files == 0) {
        hy_board_skip(check->board, HY_RULE_B24, "the device keeps no cache files");
        return;
    }
    for (uint32_t next = 0; (vector = hy_next_sample(check, &next));) {
        struct hy_sample sample;
        if (hy_sample_make(check, HY_RULE_B24, vector, &form, &sample))
            check_model(check, &sample);
        hy_sample_finish(check, &sample);
    }
    hy_board_pass(check->board, HY_RULE_B24);
}
