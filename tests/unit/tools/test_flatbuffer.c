#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/flatbuffer.h"
#include "tests/unit/tools/kit/flatbuffer_writer.h"

/* A root table with a uint32 in slot 0, a vector in 1, a string in 2, a child in 3. */
struct sample {
    struct hy_fbw writer;
    size_t root;
    size_t vector;
    size_t string;
    size_t child;
};

static struct sample make_sample(void)
{
    static const struct hy_fbw_field root[] = {{0, 4, 77}, {1, 4, 0}, {2, 4, 0}, {3, 4, 0}};
    static const struct hy_fbw_field child[] = {{0, 1, 5}, {4, 8, 1000}};
    static const uint32_t numbers[] = {1, 2, 3};
    struct sample sample;
    hy_fbw_start(&sample.writer, "TEST");
    sample.root = hy_fbw_table(&sample.writer, root, 4);
    hy_fbw_link_at(&sample.writer, 0, sample.root);
    sample.vector = hy_fbw_vector(&sample.writer, 4, 3, numbers);
    sample.string = hy_fbw_string(&sample.writer, "text");
    sample.child = hy_fbw_table(&sample.writer, child, 2);
    hy_fbw_link(&sample.writer, sample.root, 1, sample.vector);
    hy_fbw_link(&sample.writer, sample.root, 2, sample.string);
    hy_fbw_link(&sample.writer, sample.root, 3, sample.child);
    return sample;
}

/* Reads everything of the sample; the code of the first failure. Frees the sample. Its memory is
 * cut to its length, so that a sanitizer sees a read behind the end. */
static enum hy_code read_all(struct sample *sample, struct hy_error *err)
{
    struct hy_fb fb;
    sample->writer.bytes = realloc(sample->writer.bytes, sample->writer.length);
    const struct hy_fb_table root =
        hy_fb_open(&fb, sample->writer.bytes, sample->writer.length, "TEST", err);
    (void)hy_fb_u32(&fb, &root, 0, 0);
    (void)hy_fb_vector(&fb, &root, 1, 4);
    (void)hy_fb_string(&fb, &root, 2);
    const struct hy_fb_table child = hy_fb_child(&fb, &root, 3);
    (void)hy_fb_u8(&fb, &child, 0, 0);
    (void)hy_fb_u64(&fb, &child, 4, 0);
    free(sample->writer.bytes);
    return fb.code;
}

#define EXPECT_REJECTED(sample, expected) \
    do { \
        struct hy_error err_ = {0}; \
        EXPECT_INT(read_all(&(sample), &err_), HY_BAD_DATA); \
        EXPECT_CONTAINS(err_.text, expected); \
    } while (0)

TEST(flatbuffer, fields_vectors_strings_and_children_are_read)
{
    struct sample sample = make_sample();
    struct hy_fb fb;
    const struct hy_fb_table root =
        hy_fb_open(&fb, sample.writer.bytes, sample.writer.length, "TEST", NULL);
    EXPECT_INT(hy_fb_u32(&fb, &root, 0, 0), 77);
    const struct hy_fb_vector vector = hy_fb_vector(&fb, &root, 1, 4);
    EXPECT_INT(vector.count, 3);
    EXPECT_INT(hy_load_u32(vector.data + 8), 3);
    const struct hy_fb_vector string = hy_fb_string(&fb, &root, 2);
    EXPECT_STR((const char *)string.data, "text");
    const struct hy_fb_table child = hy_fb_child(&fb, &root, 3);
    EXPECT_INT(hy_fb_u8(&fb, &child, 0, 0), 5);
    EXPECT_INT(hy_fb_u64(&fb, &child, 4, 0), 1000);
    EXPECT_INT(fb.code, HY_OK);
    free(sample.writer.bytes);
}

TEST(flatbuffer, absent_fields_have_their_defaults)
{
    struct sample sample = make_sample();
    struct hy_fb fb;
    const struct hy_fb_table root =
        hy_fb_open(&fb, sample.writer.bytes, sample.writer.length, "TEST", NULL);
    const struct hy_fb_table child = hy_fb_child(&fb, &root, 3);
    EXPECT_INT(hy_fb_i32(&fb, &child, 2, -9), -9);   /* a hole in the vtable */
    EXPECT_INT(hy_fb_i32(&fb, &child, 500, -9), -9); /* behind its end */
    EXPECT(hy_fb_vector(&fb, &child, 1, 4).data == NULL);
    const struct hy_fb_table none = hy_fb_child(&fb, &child, 1);
    EXPECT_INT(none.at, 0);
    EXPECT_INT(hy_fb_u32(&fb, &none, 0, 12), 12);
    EXPECT_INT(fb.code, HY_OK);
    free(sample.writer.bytes);
}

TEST(flatbuffer, first_failure_is_kept_and_the_rest_is_absent)
{
    struct sample sample = make_sample();
    hy_fbw_put(&sample.writer, sample.vector, UINT32_MAX, 4);
    struct hy_error err = {0};
    struct hy_fb fb;
    const struct hy_fb_table root =
        hy_fb_open(&fb, sample.writer.bytes, sample.writer.length, "TEST", &err);
    EXPECT(hy_fb_vector(&fb, &root, 1, 4).data == NULL);
    EXPECT_INT(hy_fb_u32(&fb, &root, 0, 5), 5);
    EXPECT(hy_fb_string(&fb, &root, 2).data == NULL);
    EXPECT_CONTAINS(err.text, "4294967295 elements of 4 bytes");
    free(sample.writer.bytes);
}

TEST(flatbuffer, short_files_and_other_identifiers_are_rejected)
{
    struct hy_fb fb;
    struct hy_error err = {0};
    hy_fb_open(&fb, "short", 5, "TEST", &err);
    EXPECT_CONTAINS(err.text, "5 bytes are too few");
    hy_fb_open(&fb, "\x08\0\0\0NOPE\0\0\0\0", 12, "TEST", &err);
    EXPECT_CONTAINS(err.text, "file identifier \"TEST\"");
    hy_fb_open(&fb, "\0\0\0\0TEST\0\0\0\0", 12, "TEST", &err);
    EXPECT_CONTAINS(err.text, "root offset is 0");
}

TEST(flatbuffer, tables_outside_or_misaligned_are_rejected)
{
    struct sample sample = make_sample();
    hy_fbw_put(&sample.writer, 0, UINT32_MAX & ~3U, 4);
    EXPECT_REJECTED(sample, "outside the file");
    sample = make_sample();
    hy_fbw_put(&sample.writer, 0, sample.root + 1, 4);
    EXPECT_REJECTED(sample, "misaligned");
    sample = make_sample();
    hy_fbw_link(&sample.writer, sample.root, 3, sample.writer.length);
    EXPECT_REJECTED(sample, "outside the file");
}

TEST(flatbuffer, vtables_outside_or_of_odd_size_are_rejected)
{
    struct sample sample = make_sample();
    hy_fbw_put(&sample.writer, sample.root, 0x7fffffff, 4); /* before the file */
    EXPECT_REJECTED(sample, "vtable is misaligned or outside");
    sample = make_sample();
    hy_fbw_put(&sample.writer, sample.root, 0x80000000, 4); /* far behind it */
    EXPECT_REJECTED(sample, "vtable is misaligned or outside");
    sample = make_sample();
    const size_t vtable = sample.root - hy_load_u32(sample.writer.bytes + sample.root);
    hy_fbw_put(&sample.writer, vtable, 2, 2);
    EXPECT_REJECTED(sample, "claims 2 bytes");
    sample = make_sample();
    hy_fbw_put(&sample.writer, vtable, 7, 2);
    EXPECT_REJECTED(sample, "claims 7 bytes");
    sample = make_sample();
    hy_fbw_put(&sample.writer, vtable, 0xfffe, 2);
    EXPECT_REJECTED(sample, "claims 65534 bytes");
    sample = make_sample();
    hy_fbw_put(&sample.writer, vtable + 2, 0xffff, 2);
    EXPECT_REJECTED(sample, "claims 65535 bytes");
}

TEST(flatbuffer, fields_outside_their_table_or_misaligned_are_rejected)
{
    struct sample sample = make_sample();
    const size_t vtable = sample.root - hy_load_u32(sample.writer.bytes + sample.root);
    hy_fbw_put(&sample.writer, vtable + 4, 0xfff0, 2);
    EXPECT_REJECTED(sample, "field 0 of 4 bytes lies at 65520");
    sample = make_sample();
    hy_fbw_put(&sample.writer, vtable + 4, 5, 2);
    EXPECT_REJECTED(sample, "field 0 of 4 bytes lies at 5");
    sample = make_sample();
    hy_fbw_put(&sample.writer, vtable + 4, 2, 2); /* the offset to the vtable itself */
    EXPECT_REJECTED(sample, "field 0 of 4 bytes lies at 2");
    sample = make_sample();
    const size_t inner = sample.child - hy_load_u32(sample.writer.bytes + sample.child);
    hy_fbw_put(&sample.writer, inner + 4, 3, 2);
    EXPECT_REJECTED(sample, "field 0 of 1 bytes lies at 3");
}

TEST(flatbuffer, vectors_and_strings_outside_are_rejected)
{
    struct sample sample = make_sample();
    hy_fbw_put(&sample.writer, hy_fbw_position(&sample.writer, sample.root, 1), 0, 4);
    EXPECT_REJECTED(sample, "is 0");
    sample = make_sample();
    hy_fbw_link(&sample.writer, sample.root, 1, sample.vector + 2);
    EXPECT_REJECTED(sample, "misaligned");
    sample = make_sample();
    hy_fbw_put(&sample.writer, sample.vector, 0x40000001, 4); /* 4 times that is 4 in 32 bits */
    EXPECT_REJECTED(sample, "1073741825 elements");
    sample = make_sample();
    hy_fbw_put(&sample.writer, sample.string, 3, 4);
    EXPECT_REJECTED(sample, "does not end in a NUL");
    sample = make_sample();
    const size_t rest = sample.writer.length - sample.string - 4; /* the NUL would be behind it */
    hy_fbw_put(&sample.writer, sample.string, rest, 4);
    EXPECT_REJECTED(sample, "does not end in a NUL");
}
