#include "sample_prepared.h"

#include "artefact.h"
#include "driver_kit/cache_files.h"
#include "driver_kit/message.h"
#include "driver_kit/quota_memory.h"
#include "sample_run.h"
#include "search.h"

#include <stdatomic.h>

struct prepared {
    struct hy_single_prepared base;
    const struct hy_host *host;
    const struct sample_arguments *arguments; /* of the device */
    struct sample_program
        *plain; /* the program before the search; NULL when restored from a cache */
    struct sample_program *compiled;       /* found by the search, or restored; may be NULL */
    struct hy_restored restored;           /* cache files with the constants of `compiled` */
    struct hy_artefact blob;               /* or the blob with its constants */
    _Atomic(struct sample_program *) best; /* the program for executions: `plain` or `compiled` */

    /* Just in time: work of the first execution. */
    atomic_bool is_due;
    struct hy_deferred_files deferred;
};

/* ---- Compiling with care --------------------------------------------------------------------- */

/* Running executions finish with the plain program. */
static void use_compiled(struct prepared *prepared, struct sample_program *program)
{
    prepared->compiled = program;
    atomic_store(&prepared->best, program);
}

static int32_t search(struct prepared *prepared, int64_t deadline)
{
    struct sample_program *made = NULL;
    const int32_t status = sample_search(prepared->plain, deadline, &made);
    if (status == HY_STATUS_OK)
        use_compiled(prepared, made);
    return status;
}

/*
 * Computes the key of the blob in the cache engine of the host, which stores the result of the
 * search whether or not the app asks for caching. The plain program determines the compiled
 * program, so the key is made from the plain program. The host adds version and build of the
 * driver.
 */
static bool make_key(const struct prepared *prepared, struct hy_blob_list_key *key)
{
    struct hy_artefact artefact = {0};
    const bool made = prepared->arguments->blobs > 0 && hy_blob_list_has_engine(prepared->host) &&
                      sample_artefact_make(prepared->plain, 1, &artefact);
    if (made)
        *key = hy_artefact_key(&artefact);
    hy_artefact_finish(&artefact);
    return made;
}

static bool load(struct prepared *prepared, const struct hy_blob_list_key *key)
{
    if (!hy_artefact_load(prepared->host, key, &prepared->blob))
        return false;
    struct sample_program *program = sample_artefact_read(prepared->host, &prepared->blob);
    if (program)
        use_compiled(prepared, program);
    else
        hy_artefact_finish(&prepared->blob);
    return program;
}

static void store(const struct prepared *prepared, const struct hy_blob_list_key *key)
{
    struct hy_artefact artefact;
    if (sample_artefact_make(prepared->compiled, 1, &artefact))
        hy_artefact_store(prepared->host, "programs", prepared->arguments->blobs, key, &artefact);
    hy_artefact_finish(&artefact);
}

static int32_t search_or_load(struct prepared *prepared, int64_t deadline)
{
    struct hy_blob_list_key key;
    const bool has_key = make_key(prepared, &key);
    if (has_key && load(prepared, &key))
        return HY_STATUS_OK;
    const int32_t status = search(prepared, deadline);
    if (has_key && status == HY_STATUS_OK)
        store(prepared, &key);
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* One thread compiles while other threads run the plain program. If time or memory is short, a
 * later execution tries again. True: compiled. */
static bool compile_just_in_time(struct prepared *prepared, int64_t deadline)
{
    if (!atomic_load_explicit(&prepared->is_due, memory_order_relaxed) ||
        !atomic_exchange(&prepared->is_due, false))
        return false;
    if (search(prepared, deadline) == HY_STATUS_OK)
        return true;
    atomic_store(&prepared->is_due, true);
    return false;
}

/* Only called by the thread that has compiled. Afterwards nothing is left to write. */
static void write_deferred(struct prepared *prepared)
{
    struct hy_artefact artefact;
    if (!prepared->deferred.is_wanted)
        return;
    if (sample_artefact_make(prepared->compiled, prepared->deferred.data_count, &artefact))
        hy_deferred_files_save(prepared->host, &prepared->deferred, &artefact.model, artefact.data);
    hy_artefact_finish(&artefact);
    hy_deferred_files_close(&prepared->deferred);
}

static int32_t execute(void *self, struct hy_pool_map *pools, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct prepared *prepared = self;
    const bool has_compiled =
        HY_REACHES(options, scratch_bytes) && compile_just_in_time(prepared, options->deadline);
    struct sample_program *program = atomic_load(&prepared->best);
    const struct hy_request_target target = {.buffers = &prepared->base.device->buffers,
                                             .prepared = prepared,
                                             .pools = pools,
                                             .input_count = program->input_count,
                                             .output_count = program->output_count};
    const int32_t status = sample_program_run(program, &target, request, options, result);
    if (has_compiled)
        write_deferred(prepared);
    return status;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static bool is_cache_wanted(const struct sample_arguments *arguments,
                            const struct hy_prepare_options *options)
{
    const uint32_t files = arguments->cache_files;
    return files > 0 && hy_cache_files_are_wanted(options, SAMPLE_MODEL_FILES, files);
}

static bool wants_open_files(const struct sample_arguments *arguments)
{
    return arguments->compile == SAMPLE_COMPILE_JUST_IN_TIME &&
           arguments->deferred == SAMPLE_DEFERRED_DESCRIPTORS;
}

/* The first scratch is made here, so that a single thread never allocates in execute. */
static int32_t make_plain(struct prepared *prepared, struct sample_source *source,
                          const struct hy_message *message)
{
    const int32_t status = sample_program_make(source, message, &prepared->plain);
    if (status != HY_STATUS_OK)
        return status;
    if (!sample_scratch_ready(prepared->plain)) {
        hy_message_write(message, "out of memory: %llu bytes of intermediate tensors",
                         (unsigned long long)prepared->plain->scratch_bytes);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    atomic_store(&prepared->best, prepared->plain);
    return HY_STATUS_OK;
}

/* Failures to write are ignored. */
static void save(const struct prepared *prepared, const struct hy_cache_files *files)
{
    struct hy_artefact artefact;
    if (sample_artefact_make(atomic_load(&prepared->best), files->data_count, &artefact))
        hy_cache_files_save(prepared->host, files, &artefact.model, artefact.data);
    hy_artefact_finish(&artefact);
}

/* Searches now, or records the files for a search in the first execution. */
static int32_t compile(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_cache_files files = hy_cache_files_from(options);
    const bool is_cached = is_cache_wanted(prepared->arguments, options);
    int32_t status = HY_STATUS_OK;
    if (prepared->arguments->compile == SAMPLE_COMPILE_JUST_IN_TIME) {
        atomic_store(&prepared->is_due, true);
        if (is_cached)
            hy_deferred_files_note(prepared->host, &files, wants_open_files(prepared->arguments),
                                   &prepared->deferred);
        return HY_STATUS_OK;
    }
    if (prepared->arguments->compile == SAMPLE_COMPILE_AT_PREPARE)
        status = search_or_load(prepared, options->deadline);
    if (status == HY_STATUS_OK && is_cached)
        save(prepared, &files);
    return status;
}

/* Restores everything an execution needs from the cache files. The model cache is a private,
 * verified copy of the host and is trusted. The data cache may change during use, and is only
 * computed with. */
static int32_t restore(struct prepared *prepared, const struct hy_prepare_options *options)
{
    const struct hy_cache_files files = hy_cache_files_from(options);
    struct hy_restored *restored = &prepared->restored;
    int32_t status =
        wants_open_files(prepared->arguments)
            ? hy_kept_open_files_restore(prepared->host, &files, options->deadline, restored)
            : hy_cache_files_restore(prepared->host, &files, restored);
    if (status == HY_STATUS_OK) {
        const struct hy_artefact artefact = hy_artefact_of(restored, files.data_count);
        struct sample_program *program = sample_artefact_read(prepared->host, &artefact);
        if (program)
            use_compiled(prepared, program);
        else
            status = HY_STATUS_GENERAL_FAILURE;
    }
    if (status != HY_STATUS_OK)
        hy_message_write(&options->message, "the cache files have no usable contents");
    return status;
}

int32_t sample_prepare(struct sample_device *device, struct sample_source *source,
                       const struct hy_prepare_options *options, void **prepared)
{
    struct prepared *made = hy_quota_zeros(device->base.host, 1, sizeof *made);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->base = (struct hy_single_prepared){&device->base, execute};
    made->host = device->base.host;
    made->arguments = &device->arguments;
    int32_t status = source ? make_plain(made, source, &options->message) : restore(made, options);
    if (source && status == HY_STATUS_OK)
        status = compile(made, options);
    if (status == HY_STATUS_OK)
        *prepared = made;
    else
        sample_prepared_destroy(made);
    return status;
}

int32_t sample_prepare_from_cache(void *self, const struct hy_prepare_options *options,
                                  void **prepared)
{
    struct sample_device *device = self;
    if (!HY_REACHES(options, message) || !is_cache_wanted(&device->arguments, options))
        return HY_STATUS_INVALID_ARGUMENT;
    return sample_prepare(device, NULL, options, prepared);
}

void sample_prepared_destroy(void *self)
{
    struct prepared *prepared = self;
    if (!prepared)
        return;
    hy_deferred_files_close(&prepared->deferred);
    sample_program_destroy(
        prepared->compiled); /* first: its constants may be in the memory freed below */
    sample_program_destroy(prepared->plain);
    hy_cache_files_release(prepared->host, &prepared->restored);
    hy_artefact_finish(&prepared->blob);
    hy_quota_free(prepared);
}

/* All programs of a prepared model have the same arguments. */
const struct sample_tensor *sample_prepared_argument(const void *self, uint32_t is_output,
                                                     uint32_t index)
{
    const struct prepared *prepared = self;
    const struct sample_program *program = atomic_load(&prepared->best);
    if (index >= (is_output ? program->output_count : program->input_count))
        return NULL;
    const uint32_t number = index + (is_output ? program->input_count : 0);
    return &program->tensors[program->arguments[number]];
}
