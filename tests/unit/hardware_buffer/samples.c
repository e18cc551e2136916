#include "tests/unit/hardware_buffer/samples.h"

#include "tests/kit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

AHardwareBuffer_Desc image_of(uint32_t format, uint32_t width, uint32_t height)
{
    return (AHardwareBuffer_Desc){
        .width = width, .height = height, .layers = 1, .format = format, .usage = CPU_OFTEN};
}

AHardwareBuffer_Desc blob_of(uint32_t bytes)
{
    return image_of(AHARDWAREBUFFER_FORMAT_BLOB, bytes, 1);
}

AHardwareBuffer *allocated(AHardwareBuffer_Desc desc)
{
    AHardwareBuffer *buffer = NULL;
    EXPECT_INT(AHardwareBuffer_allocate(&desc, &buffer), 0);
    return buffer;
}

int sealed_memory(uint64_t bytes, int seals)
{
    const int fd = memfd_create("test-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
        (seals == 0 || fcntl(fd, F_ADD_SEALS, seals) == 0))
        return fd;
    return -1;
}

int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

int count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    int count = 0;

    for (int c; maps && (c = fgetc(maps)) != EOF;)
        count += c == '\n';
    if (maps)
        fclose(maps);
    return count;
}
