#include "tools/vectors/files.h"

#include "common/array.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

static enum hy_code load(struct hy_vector_files *files, const char *path, struct hy_error *err)
{
    struct hy_vector_file *grown = hy_array_grow(files->files, files->count, sizeof *grown);
    if (!grown)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", path);
    files->files = grown;
    struct hy_vector_file *file = &files->files[files->count++];
    *file = (struct hy_vector_file){0};
    return hy_vector_file_load(path, file, err);
}

static bool is_json(const FTSENT *entry)
{
    static const char ending[] = ".json";
    const size_t length = sizeof ending - 1;
    return entry->fts_namelen > length &&
           strcmp(entry->fts_name + entry->fts_namelen - length, ending) == 0;
}

static enum hy_code add_entry(struct hy_vector_files *files, const FTSENT *entry,
                              struct hy_error *err)
{
    switch (entry->fts_info) {
    case FTS_F:
        if (entry->fts_level > FTS_ROOTLEVEL && !is_json(entry))
            return HY_OK;
        return load(files, entry->fts_path, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return hy_fail(err, HY_FAILED, "cannot read %s: %s", entry->fts_path,
                       strerror(entry->fts_errno));
    default:
        return HY_OK;
    }
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

enum hy_code hy_vector_files_add(struct hy_vector_files *files, const char *path,
                                 struct hy_error *err)
{
    char *roots[] = {(char *)path, NULL}; /* fts does not write to it */
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        return hy_fail(err, HY_FAILED, "cannot read %s: %s", path, strerror(errno));

    enum hy_code code = HY_OK;
    const FTSENT *entry;
    while (code == HY_OK && (entry = fts_read(walk)))
        code = add_entry(files, entry, err);
    fts_close(walk);
    return code;
}

void hy_vector_files_finish(struct hy_vector_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        hy_vector_file_finish(&files->files[i]);
    free(files->files);
    *files = (struct hy_vector_files){0};
}
