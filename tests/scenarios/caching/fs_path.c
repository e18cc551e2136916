#include "tests/scenarios/caching/fs_path.h"

#include "cache_store/digest/file_digest.h"
#include "cache_store/directory/names.h"
#include "cache_store/metadata.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRS_MAX 256

/* ---- Folders --------------------------------------------------------------------------------- */

static struct fs_path made[DIRS_MAX];
static pid_t maker;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static int open_up(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)at;
    return kind == FTW_D || kind == FTW_DNR ? (void)chmod(path, 0700), 0 : 0;
}

void path_remove(const struct fs_path *fs_path)
{
    nftw(fs_path->path, open_up, 16, FTW_PHYS);
    nftw(fs_path->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A child that ends leaves them alone. */
static void remove_all(void)
{
    for (unsigned i = 0; i < DIRS_MAX && getpid() == maker; i++) {
        if (made[i].path[0])
            path_remove(&made[i]);
    }
}

static void note(const struct fs_path *fs_path)
{
    static unsigned count;

    if (!maker) {
        maker = getpid();
        atexit(remove_all);
    }
    if (count < DIRS_MAX && maker == getpid())
        made[count++] = *fs_path;
}

struct fs_path path_make_dir(bool in_memory)
{
    struct fs_path fs_path = {"/dev/shm/halyard-caching-XXXXXX"};

    if (!in_memory || !mkdtemp(fs_path.path)) {
        fs_path = (struct fs_path){"/tmp/halyard-caching-XXXXXX"};
        if (!mkdtemp(fs_path.path))
            return (struct fs_path){""};
    }
    note(&fs_path);
    return fs_path;
}

struct fs_path path_in(const struct fs_path *fs_path, const char *name)
{
    struct fs_path inner;
    snprintf(inner.path, sizeof inner.path, "%.160s/%.90s", fs_path->path, name);
    return inner;
}

struct fs_path path_of_entry(const char *dir, const uint8_t token[HY_TOKEN_SIZE])
{
    struct fs_path fs_path;
    snprintf(fs_path.path, sizeof fs_path.path, "%.100s/halyard-cache/%s/%s", dir,
             hy_shard_name_make(token[0]).text, hy_token_name_make(token).text);
    return fs_path;
}

struct fs_path path_of_file(const char *dir, const uint8_t token[HY_TOKEN_SIZE], const char *name)
{
    struct fs_path entry = path_of_entry(dir, token), file;
    snprintf(file.path, sizeof file.path, "%.200s/%.50s", entry.path, name);
    return file;
}

/* ---- Files ----------------------------------------------------------------------------------- */

uint64_t path_length(const struct fs_path *file)
{
    struct stat info;
    return stat(file->path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right);
}

struct entry_files entry_list_files(const struct fs_path *entry)
{
    struct entry_files files = {0};
    DIR *names = opendir(entry->path);
    if (!names)
        return files;
    for (struct dirent *one; (one = readdir(names)) != NULL && files.count < ENTRY_FILES_MAX;) {
        if (one->d_name[0] == '.' || strlen(one->d_name) >= sizeof files.files[0].name)
            continue;
        char *name = files.files[files.count].name;
        memcpy(name, one->d_name, strlen(one->d_name) + 1);
        const struct fs_path file = path_in(entry, name);
        files.files[files.count++].length = path_length(&file);
    }
    closedir(names);
    qsort(files.files, files.count, sizeof files.files[0], by_name);
    return files;
}

bool path_read(const struct fs_path *file, uint8_t **bytes, size_t *length)
{
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    *length = (size_t)path_length(file);
    *bytes = malloc(*length + 1);
    const bool done = *bytes && read(fd, *bytes, *length) == (ssize_t)*length;
    close(fd);
    if (!done)
        free(*bytes);
    return done;
}

bool path_write(const struct fs_path *file, const void *bytes, size_t length)
{
    const int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const bool done = write(fd, bytes, length) == (ssize_t)length;
    close(fd);
    return done;
}

bool path_flip_bit(const struct fs_path *file, uint64_t bit)
{
    const int fd = open(file->path, O_RDWR | O_CLOEXEC);
    uint8_t byte = 0;
    if (fd < 0)
        return false;
    bool done = pread(fd, &byte, 1, (off_t)(bit / 8)) == 1;
    byte ^= (uint8_t)(1u << bit % 8);
    done = done && pwrite(fd, &byte, 1, (off_t)(bit / 8)) == 1;
    close(fd);
    return done;
}

static bool copy_file(const struct fs_path *from, const struct fs_path *to)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!path_read(from, &bytes, &length))
        return false;
    const bool done = path_write(to, bytes, length);
    free(bytes);
    return done;
}

bool path_copy(const struct fs_path *from, const struct fs_path *to)
{
    const struct entry_files files = entry_list_files(from);
    struct fs_path shard = *to;
    bool done = files.count > 0;

    path_remove(to);
    *strrchr(shard.path, '/') = '\0';
    (void)mkdir(shard.path, 0700);
    done = mkdir(to->path, 0700) == 0 && done;
    for (uint32_t i = 0; i < files.count && done; i++) {
        const struct fs_path source = path_in(from, files.files[i].name);
        const struct fs_path target = path_in(to, files.files[i].name);
        done = copy_file(&source, &target);
    }
    return done;
}

/* ---- Sidecars -------------------------------------------------------------------------------- */

static bool describe(const struct fs_path *entry, const char *name, struct hy_metadata_file *ret)
{
    const struct fs_path file = path_in(entry, name);
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!path_read(&file, &bytes, &length))
        return false;
    ret->length = length;
    hy_bytes_digest(bytes, length, ret->digest);
    free(bytes);
    return true;
}

static bool describe_all(const struct fs_path *entry, struct hy_metadata *metadata)
{
    bool done = true;
    for (uint32_t i = 0; i < metadata->counts.model; i++)
        done = describe(entry, hy_model_name_make(i).text, &metadata->model[i]) && done;
    for (uint32_t i = 0; i < metadata->counts.data; i++)
        done = describe(entry, hy_data_name_make(i).text, &metadata->data[i]) && done;
    return done;
}

static bool read_metadata(const struct fs_path *file, struct hy_metadata *ret)
{
    uint8_t *bytes = NULL;
    size_t length = 0;

    if (!path_read(file, &bytes, &length))
        return false;
    const bool done = length == sizeof *ret;
    if (done)
        memcpy(ret, bytes, sizeof *ret);
    free(bytes);
    return done && hy_metadata_check(ret, length, NULL) == HY_OK;
}

static bool write_metadata(const struct fs_path *file, struct hy_metadata *metadata)
{
    hy_metadata_seal(metadata);
    return path_write(file, metadata, sizeof *metadata);
}

bool entry_fix_metadata(const struct fs_path *entry, const uint8_t token[HY_TOKEN_SIZE])
{
    const struct fs_path file = path_in(entry, HY_NAME_METADATA);
    struct hy_metadata metadata;

    if (!read_metadata(&file, &metadata))
        return false;
    memcpy(metadata.token, token, HY_TOKEN_SIZE);
    return (metadata.is_kept_open || describe_all(entry, &metadata)) &&
           write_metadata(&file, &metadata);
}

bool entry_toggle_kept_open(const struct fs_path *entry)
{
    const struct fs_path file = path_in(entry, HY_NAME_METADATA);
    struct hy_metadata metadata;

    if (!read_metadata(&file, &metadata))
        return false;
    metadata.is_kept_open = metadata.is_kept_open ? 0 : 1;
    memset(metadata.model, 0, sizeof metadata.model);
    memset(metadata.data, 0, sizeof metadata.data);
    return (metadata.is_kept_open || describe_all(entry, &metadata)) &&
           write_metadata(&file, &metadata);
}

/* ---- Leftovers ------------------------------------------------------------------------------- */

static void look(const char *dir, const char *name, struct cache_leftovers *leftovers)
{
    char path[320];
    struct stat info;

    snprintf(path, sizeof path, "%.200s/halyard-cache/%s", dir, name);
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    if (!names)
        return;
    for (struct dirent *one; (one = readdir(names)) != NULL;) {
        if (one->d_name[0] == '.' || fstatat(fd, one->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        leftovers->count++;
        leftovers->old += info.st_ctime + 60 < time(NULL);
    }
    closedir(names);
}

struct cache_leftovers cache_find_leftovers(const char *dir)
{
    struct cache_leftovers leftovers = {0};
    look(dir, "new", &leftovers);
    look(dir, "old", &leftovers);
    return leftovers;
}
