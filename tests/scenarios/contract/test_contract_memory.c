/* Memory: behind file descriptors, and copies from one to the other. Memory of hardware buffers is
 * in test_contract_hardware_buffer.c, memory from descriptors in test_contract_desc_memory.c. */
#include "tests/scenarios/contract/kit/fixture.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- From a file descriptor ------------------------------------------------------------------ */

/* What the call gives; no object may come of a failure. */
static void expect_from_fd(int code, size_t size, int protect, int fd, size_t offset)
{
    ANeuralNetworksMemory *memory = OLD_VALUE(ANeuralNetworksMemory);

    EXPECT_CODE(code, ANeuralNetworksMemory_createFromFd(size, protect, fd, offset, &memory));
    if (code == ANEURALNETWORKS_NO_ERROR)
        EXPECT(memory && memory != OLD_VALUE(ANeuralNetworksMemory));
    else
        EXPECT(memory == NULL);
    ANeuralNetworksMemory_free(memory);
}

TEST(contract_memory, size_protection_and_offset_fit_the_file)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const struct {
        size_t size;
        int protect;
        size_t offset;
        bool allowed;
    } cases[] = {
        {1, PROT_READ, 0, true},
        {2 * page, PROT_READ | PROT_WRITE, 0, true},
        {page, PROT_READ, page, true},
        {8, PROT_WRITE, 0, true},
        {8, PROT_NONE, 0, true},
        {0, PROT_READ, 0, false},
        {8, PROT_READ | PROT_EXEC, 0, false},
        {8, -1, 0, false},
        {8, INT_MIN, 0, false},
        {8, PROT_READ, 1, false},
        {8, PROT_READ, page / 2, false},
        {2 * page + 1, PROT_READ, 0, false},
        {page + 1, PROT_READ, page, false},
        {1, PROT_READ, 2 * page, false},
        {8, PROT_READ, SIZE_MAX - page + 1, false},
        {SIZE_MAX, PROT_READ, 0, false},
        {SIZE_MAX, PROT_READ, page, false}, /* a sum that wraps around */
    };
    int fd = file_of(2 * page);

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_from_fd(code_if(cases[i].allowed), cases[i].size, cases[i].protect, fd,
                       cases[i].offset);
    close(fd);
}

/* It can be mapped, but by nobody else: what a device in another process writes would be lost. */
TEST(contract_memory, zero_device_is_no_memory)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);

    REQUIRE(fd >= 0);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, page, PROT_READ | PROT_WRITE, fd, 0);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, page, PROT_READ | PROT_WRITE, fd, page);
    close(fd);
}

TEST(contract_memory, descriptor_that_cannot_be_duplicated_fails_before_all_else)
{
    int closed = file_of(8);
    close(closed);
    const int descriptors[] = {-1, INT_MIN, INT_MAX, closed};

    for (size_t i = 0; i < COUNT_OF(descriptors); i++) {
        expect_from_fd(ANEURALNETWORKS_OP_FAILED, 8, PROT_READ, descriptors[i], 0);
        expect_from_fd(ANEURALNETWORKS_OP_FAILED, 0, -1, descriptors[i], 1);
    }
    EXPECT_CONTAINS(halyard_last_error(), "cannot be duplicated");
}

TEST(contract_memory, descriptor_that_cannot_be_mapped_is_bad_data)
{
    int ends[2];

    REQUIRE(pipe(ends) == 0);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, 8, PROT_READ, ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, 8, PROT_READ, ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    int dir = open("/", O_RDONLY);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, 8, PROT_READ, dir, 0);
    close(dir);
}

TEST(contract_memory, file_is_mapped_for_what_its_descriptor_is_open_for)
{
    char path[] = "/tmp/halyard-test-XXXXXX";
    int writer = mkostemp(path, O_CLOEXEC);
    REQUIRE(writer >= 0 && ftruncate(writer, 64) == 0);
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);

    expect_from_fd(ANEURALNETWORKS_NO_ERROR, 64, PROT_READ, reader, 0);
    expect_from_fd(ANEURALNETWORKS_BAD_DATA, 64, PROT_READ | PROT_WRITE, reader, 0);
    expect_from_fd(ANEURALNETWORKS_NO_ERROR, 64, PROT_READ | PROT_WRITE, writer, 0);
    close(reader);
    close(writer);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Memory of TENSOR_SIZE bytes with this protection that holds `first` in the beginning, and the
 * file behind it. */
struct filled {
    int fd;
    ANeuralNetworksMemory *memory;
};

static struct filled filled_with(char first, int protect)
{
    struct filled filled = {.fd = file_of(TENSOR_SIZE)};

    EXPECT(pwrite(filled.fd, &first, 1, 0) == 1);
    EXPECT_OK(
        ANeuralNetworksMemory_createFromFd(TENSOR_SIZE, protect, filled.fd, 0, &filled.memory));
    return filled;
}

static char first_of(const struct filled *filled)
{
    char first = 0;
    EXPECT(pread(filled->fd, &first, 1, 0) == 1);
    return first;
}

static void filled_free(struct filled *filled)
{
    ANeuralNetworksMemory_free(filled->memory);
    close(filled->fd);
}

TEST(contract_memory, copy_takes_all_bytes_along)
{
    struct filled from = filled_with('a', PROT_READ), to = filled_with('b', PROT_WRITE);

    EXPECT_OK(ANeuralNetworksMemory_copy(from.memory, to.memory));
    EXPECT_INT(first_of(&to), 'a');
    filled_free(&from);
    filled_free(&to);
}

TEST(contract_memory, copy_needs_equal_sizes)
{
    static const size_t sizes[] = {1, TENSOR_SIZE - 1, TENSOR_SIZE + 1, 2 * TENSOR_SIZE};
    struct filled filled = filled_with('a', PROT_READ | PROT_WRITE);

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        ANeuralNetworksMemory *other = memory_of(sizes[i], PROT_READ | PROT_WRITE);
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(filled.memory, other));
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(other, filled.memory));
        ANeuralNetworksMemory_free(other);
    }
    EXPECT_INT(first_of(&filled), 'a');
    filled_free(&filled);
}

TEST(contract_memory, copy_that_cannot_reach_the_bytes_is_unmappable)
{
    struct filled whole = filled_with('a', PROT_READ | PROT_WRITE), none = filled_with('b', 0);
    struct filled read = filled_with('c', PROT_READ), write = filled_with('d', PROT_WRITE);
    struct filled shrunk = filled_with('e', PROT_READ | PROT_WRITE);

    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(none.memory, whole.memory));
    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(whole.memory, none.memory));
    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(whole.memory, read.memory));
    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(write.memory, whole.memory));
    EXPECT_INT(ftruncate(shrunk.fd, 1), 0);
    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(whole.memory, shrunk.memory));
    EXPECT_FAIL(UNMAPPABLE, ANeuralNetworksMemory_copy(shrunk.memory, whole.memory));
    EXPECT_INT(first_of(&whole), 'a');
    filled_free(&whole);
    filled_free(&none);
    filled_free(&read);
    filled_free(&write);
    filled_free(&shrunk);
}

/* Sizes are compared before anything is mapped. */
TEST(contract_memory, sizes_are_compared_before_protections)
{
    ANeuralNetworksMemory *none = memory_of(8, PROT_NONE), *other = memory_of(16, PROT_NONE);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksMemory_copy(none, other));
    EXPECT_OK(ANeuralNetworksMemory_copy(none, none)); /* nothing happens, nothing is looked at */
    ANeuralNetworksMemory_free(none);
    ANeuralNetworksMemory_free(other);
}
