#include "libhalyard/tflite/tflite_options.h"

#include <inttypes.h>
#include <math.h>

#include "libhalyard/tflite/tflite_reader.h"

/* The decoding state of one table of options. The first failure is saved, as in struct hy_fb. */
struct source {
    struct hy_tflite_reader *reader;
    struct hy_fb_table table;
    enum hy_code code;
};

static void read_enum(struct source *from, unsigned slot, int32_t absent, const char *name,
                      unsigned count, int32_t *out)
{
    const uint8_t value = hy_fb_u8(&from->reader->fb, &from->table, slot, (uint8_t)absent);
    if (value >= count && from->code == HY_OK)
        from->code = hy_fail(from->reader->err, HY_BAD_DATA, "option %s is %u, needs 0 to %u", name,
                             value, count - 1);
    *out = value;
}

/* Readers of one field, by KIND, with the same five arguments, so that the table can call them. */
#define READ_ENUM(KIND, count) \
    static void read_##KIND(struct source *from, unsigned slot, int32_t absent, const char *name, \
                            int32_t *out) \
    { \
        read_enum(from, slot, absent, name, count, out); \
    }

READ_ENUM(PADDING, 2)
READ_ENUM(ACTIVATION, 6)
READ_ENUM(FORMAT, 2)
READ_ENUM(KERNEL, 2)
READ_ENUM(MIRROR, 2)
READ_ENUM(HASH, 3)
READ_ENUM(COMBINER, 3)
READ_ENUM(TYPE, HY_TFLITE_TYPE_COUNT)

static void read_BOOL(struct source *from, unsigned slot, int32_t absent, const char *name,
                      bool *out)
{
    (void)name;
    *out = hy_fb_u8(&from->reader->fb, &from->table, slot, (uint8_t)absent) != 0;
}

static void read_I32(struct source *from, unsigned slot, int32_t absent, const char *name,
                     int32_t *out)
{
    (void)name;
    *out = hy_fb_i32(&from->reader->fb, &from->table, slot, absent);
}

static void read_I64(struct source *from, unsigned slot, int32_t absent, const char *name,
                     int64_t *out)
{
    (void)name;
    *out = (int64_t)hy_fb_u64(&from->reader->fb, &from->table, slot, (uint64_t)absent);
}

static void read_F32(struct source *from, unsigned slot, int32_t absent, const char *name,
                     float *out)
{
    *out = hy_fb_f32(&from->reader->fb, &from->table, slot, (float)absent);
    if (!isfinite(*out) && from->code == HY_OK)
        from->code = hy_fail(from->reader->err, HY_BAD_DATA, "option %s is %f", name, (double)*out);
}

static void read_SUBGRAPH(struct source *from, unsigned slot, int32_t absent, const char *name,
                          int32_t *out)
{
    *out = hy_fb_i32(&from->reader->fb, &from->table, slot, absent);
    if ((*out < 0 || (uint32_t)*out >= from->reader->subgraph_count) && from->code == HY_OK)
        from->code = hy_fail(from->reader->err, HY_BAD_DATA,
                             "option %s is %" PRId32 ", the model has %" PRIu32 " subgraphs", name,
                             *out, from->reader->subgraph_count);
}

static void read_INTS(struct source *from, unsigned slot, int32_t absent, const char *name,
                      struct hy_tflite_ints *out)
{
    (void)absent;
    if (from->code != HY_OK)
        return;
    from->code = hy_tflite_copy_ints(from->reader, &from->table, slot, out);
    if (from->code != HY_OK)
        hy_error_prefix(from->reader->err, from->code, "option %s", name);
}

static void read_FLOATS(struct source *from, unsigned slot, int32_t absent, const char *name,
                        struct hy_tflite_floats *out)
{
    (void)absent;
    if (from->code != HY_OK)
        return;
    from->code = hy_tflite_copy_floats(from->reader, &from->table, slot, out);
    if (from->code != HY_OK)
        hy_error_prefix(from->reader->err, from->code, "option %s", name);
}

static void read_TEXT(struct source *from, unsigned slot, int32_t absent, const char *name,
                      const char **out)
{
    (void)absent;
    if (from->code != HY_OK)
        return;
    from->code = hy_tflite_copy_string(from->reader, &from->table, slot, out);
    if (from->code != HY_OK)
        hy_error_prefix(from->reader->err, from->code, "option %s", name);
}

/* A function like decode_conv_2d() for each row of the table. */
#define FIELD(slot, KIND, name, absent) read_##KIND(from, slot, absent, #name, &out->name);
#define OPTIONS(number, NAME, name, fields) \
    static void decode_##name(struct source *from, struct hy_tflite_##name##_options *out) \
    { \
        fields \
    }
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
#undef FIELD

static void decode(struct source *from, struct hy_tflite_options *out)
{
    switch (out->kind) {
#define OPTIONS(number, NAME, name, fields) \
    case HY_TFLITE_OPTIONS_##NAME: \
        decode_##name(from, &out->name); \
        break;
#include "libhalyard/tflite/tflite_options.def"
#undef OPTIONS
    case HY_TFLITE_OPTIONS_NONE:
        break;
    }
}

static const struct {
    const char *name;
    enum hy_tflite_options_kind options;
} ops[HY_TFLITE_OP_COUNT] = {
#define OP(number, NAME, OPTIONS) [number] = {#NAME, HY_TFLITE_OPTIONS_##OPTIONS},
#include "libhalyard/tflite/tflite_ops.def"
#undef OP
};

const char *hy_tflite_op_name(enum hy_tflite_op op)
{
    return (unsigned)op < HY_TFLITE_OP_COUNT ? ops[op].name : "unknown";
}

enum hy_code hy_tflite_read_options(struct hy_tflite_reader *reader,
                                    const struct hy_fb_table *operator_table, enum hy_tflite_op op,
                                    struct hy_tflite_options *out)
{
    struct hy_fb *fb = &reader->fb;
    out->kind = ops[op].options;
    const bool is_second = out->kind >= HY_TFLITE_SECOND_OPTIONS;
    unsigned kind = hy_fb_u8(fb, operator_table,
                             is_second ? OPERATOR_SECOND_OPTIONS_TYPE : OPERATOR_OPTIONS_TYPE, 0);
    if (is_second && kind != HY_TFLITE_OPTIONS_NONE)
        kind += HY_TFLITE_SECOND_OPTIONS;
    if (out->kind == HY_TFLITE_OPTIONS_NONE)
        return fb->code;
    if (kind != HY_TFLITE_OPTIONS_NONE && kind != out->kind)
        return hy_fail(reader->err, HY_BAD_DATA, "options are of kind %u, needs %u", kind,
                       (unsigned)out->kind);

    struct source from = {.reader = reader, .code = HY_OK};
    if (kind != HY_TFLITE_OPTIONS_NONE)
        from.table =
            hy_fb_child(fb, operator_table, is_second ? OPERATOR_SECOND_OPTIONS : OPERATOR_OPTIONS);
    decode(&from, out);
    return fb->code != HY_OK ? fb->code : from.code;
}
