/*
 * The linker puts these in the places of mmap and munmap: behind each shared mapping of a
 * descriptor lies a page that nobody may touch, so that what reads or writes on meets a fault and
 * not the next mapping.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST = 4096 };

void *__real_mmap(void *address, size_t bytes, int protect, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t bytes);
void *__wrap_mmap(void *address, size_t bytes, int protect, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t bytes);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *guarded[MOST]; /* mappings that have such a page */

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Exchanges one entry for another; 0: there is none. */
static int swap_mapping(void *old, void *new)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST && !found; i++) {
        found = guarded[i] == old;
        if (found)
            guarded[i] = new;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void *__wrap_mmap(void *address, size_t bytes, int protect, int flags, int fd, off_t offset)
{
    const size_t whole = whole_pages(bytes);

    if (address || !(flags & MAP_SHARED) || fd < 0 || bytes == 0 || whole < bytes)
        return __real_mmap(address, bytes, protect, flags, fd, offset);
    uint8_t *reserved = __real_mmap(NULL, whole + PAGE, PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return MAP_FAILED;
    void *mapped = __real_mmap(reserved, bytes, protect, flags | MAP_FIXED, fd, offset);
    if (mapped == MAP_FAILED || !swap_mapping(NULL, mapped)) {
        __real_munmap(reserved, whole + PAGE);
        return __real_mmap(address, bytes, protect, flags, fd, offset);
    }
    return mapped;
}

int __wrap_munmap(void *address, size_t bytes)
{
    return __real_munmap(address, swap_mapping(address, NULL) ? whole_pages(bytes) + PAGE : bytes);
}
