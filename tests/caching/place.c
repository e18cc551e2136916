#include "tests/caching/place.h"

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

#define MOST_PLACES 256

/* ---- Folders --------------------------------------------------------------------------------- */

static struct place made[MOST_PLACES];
static pid_t maker;

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

static int open_up(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)at;
    return kind == FTW_D || kind == FTW_DNR ? (void)chmod(path, 0700), 0 : 0;
}

void place_remove(const struct place *place)
{
    nftw(place->path, open_up, 16, FTW_PHYS);
    nftw(place->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A child that ends leaves them alone. */
static void remove_all(void)
{
    for (unsigned i = 0; i < MOST_PLACES && getpid() == maker; i++) {
        if (made[i].path[0])
            place_remove(&made[i]);
    }
}

static void note(const struct place *place)
{
    static unsigned count;

    if (!maker) {
        maker = getpid();
        atexit(remove_all);
    }
    if (count < MOST_PLACES && maker == getpid())
        made[count++] = *place;
}

struct place place_make(bool in_memory)
{
    struct place place = {"/dev/shm/halyard-caching-XXXXXX"};

    if (!in_memory || !mkdtemp(place.path)) {
        place = (struct place){"/tmp/halyard-caching-XXXXXX"};
        if (!mkdtemp(place.path))
            return (struct place){""};
    }
    note(&place);
    return place;
}

struct place place_in(const struct place *place, const char *name)
{
    struct place inner;
    snprintf(inner.path, sizeof inner.path, "%.160s/%.90s", place->path, name);
    return inner;
}

struct place place_of_entry(const char *folder, const uint8_t token[HY_TOKEN_SIZE])
{
    struct place place;
    snprintf(place.path, sizeof place.path, "%.100s/halyard-cache/%s/%s", folder,
             hy_shard_name_make(token[0]).text, hy_token_name_make(token).text);
    return place;
}

struct place place_of_file(const char *folder, const uint8_t token[HY_TOKEN_SIZE], const char *name)
{
    struct place entry = place_of_entry(folder, token), file;
    snprintf(file.path, sizeof file.path, "%.200s/%.50s", entry.path, name);
    return file;
}

/* ---- Files ----------------------------------------------------------------------------------- */

uint64_t place_length(const struct place *file)
{
    struct stat facts;
    return stat(file->path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right);
}

struct place_files place_list(const struct place *entry)
{
    struct place_files files = {0};
    DIR *names = opendir(entry->path);
    if (!names)
        return files;
    for (struct dirent *one; (one = readdir(names)) != NULL && files.count < PLACE_FILES;) {
        if (one->d_name[0] == '.' || strlen(one->d_name) >= sizeof files.files[0].name)
            continue;
        char *name = files.files[files.count].name;
        memcpy(name, one->d_name, strlen(one->d_name) + 1);
        const struct place file = place_in(entry, name);
        files.files[files.count++].length = place_length(&file);
    }
    closedir(names);
    qsort(files.files, files.count, sizeof files.files[0], by_name);
    return files;
}

bool place_read(const struct place *file, uint8_t **bytes, size_t *length)
{
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    *length = (size_t)place_length(file);
    *bytes = malloc(*length + 1);
    const bool done = *bytes && read(fd, *bytes, *length) == (ssize_t)*length;
    close(fd);
    if (!done)
        free(*bytes);
    return done;
}

bool place_write(const struct place *file, const void *bytes, size_t length)
{
    const int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const bool done = write(fd, bytes, length) == (ssize_t)length;
    close(fd);
    return done;
}

bool place_flip(const struct place *file, uint64_t bit)
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

static bool copy_file(const struct place *from, const struct place *to)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!place_read(from, &bytes, &length))
        return false;
    const bool done = place_write(to, bytes, length);
    free(bytes);
    return done;
}

bool place_copy(const struct place *from, const struct place *to)
{
    const struct place_files files = place_list(from);
    struct place shard = *to;
    bool done = files.count > 0;

    place_remove(to);
    *strrchr(shard.path, '/') = '\0';
    (void)mkdir(shard.path, 0700);
    done = mkdir(to->path, 0700) == 0 && done;
    for (uint32_t i = 0; i < files.count && done; i++) {
        const struct place source = place_in(from, files.files[i].name);
        const struct place target = place_in(to, files.files[i].name);
        done = copy_file(&source, &target);
    }
    return done;
}

/* ---- Sidecars -------------------------------------------------------------------------------- */

static bool describe(const struct place *entry, const char *name, struct hy_metadata_file *ret)
{
    const struct place file = place_in(entry, name);
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!place_read(&file, &bytes, &length))
        return false;
    ret->length = length;
    hy_bytes_digest(bytes, length, ret->digest);
    free(bytes);
    return true;
}

static bool describe_all(const struct place *entry, struct hy_metadata *metadata)
{
    bool done = true;
    for (uint32_t i = 0; i < metadata->counts.model; i++)
        done = describe(entry, hy_model_name_make(i).text, &metadata->model[i]) && done;
    for (uint32_t i = 0; i < metadata->counts.data; i++)
        done = describe(entry, hy_data_name_make(i).text, &metadata->data[i]) && done;
    return done;
}

static bool read_metadata(const struct place *file, struct hy_metadata *ret)
{
    uint8_t *bytes = NULL;
    size_t length = 0;

    if (!place_read(file, &bytes, &length))
        return false;
    const bool done = length == sizeof *ret;
    if (done)
        memcpy(ret, bytes, sizeof *ret);
    free(bytes);
    return done && hy_metadata_check(ret, length, NULL) == HY_OK;
}

static bool write_metadata(const struct place *file, struct hy_metadata *metadata)
{
    hy_metadata_seal(metadata);
    return place_write(file, metadata, sizeof *metadata);
}

bool place_vouch(const struct place *entry, const uint8_t token[HY_TOKEN_SIZE])
{
    const struct place file = place_in(entry, HY_NAME_METADATA);
    struct hy_metadata metadata;

    if (!read_metadata(&file, &metadata))
        return false;
    memcpy(metadata.token, token, HY_TOKEN_SIZE);
    return (metadata.is_kept_open || describe_all(entry, &metadata)) &&
           write_metadata(&file, &metadata);
}

bool place_turn_kept_open(const struct place *entry)
{
    const struct place file = place_in(entry, HY_NAME_METADATA);
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

static void look(const char *folder, const char *name, struct place_leftovers *leftovers)
{
    char path[320];
    struct stat facts;

    snprintf(path, sizeof path, "%.200s/halyard-cache/%s", folder, name);
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
    if (!names)
        return;
    for (struct dirent *one; (one = readdir(names)) != NULL;) {
        if (one->d_name[0] == '.' || fstatat(fd, one->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        leftovers->count++;
        leftovers->old += facts.st_ctime + 60 < time(NULL);
    }
    closedir(names);
}

struct place_leftovers place_look_for_leftovers(const char *folder)
{
    struct place_leftovers leftovers = {0};
    look(folder, "new", &leftovers);
    look(folder, "old", &leftovers);
    return leftovers;
}
