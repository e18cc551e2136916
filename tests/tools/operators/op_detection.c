#include "tests/tools/operators/op_draft.h"

#include <string.h>

/* TFLite_Detection_PostProcess: boxes around anchors, with scores of few values where they have 8
 * bits, so that many are equal. */

/* ---- Options --------------------------------------------------------------------------------- */

enum { OPTION_COUNT = 11, OPTION_ROOM = 512 };

/* Keys of a map are sorted. */
struct option {
    const char *key;
    uint8_t type; /* of the flexbuffer, with a width of 4 bytes */
    uint32_t bits;
};

enum {
    INT_OF_4 = 1 << 2 | 2,
    FLOAT_OF_4 = 3 << 2 | 2,
    MAP_OF_4 = 9 << 2 | 2,
    BOOL_OF_4 = 26 << 2 | 2
};

static struct option whole(const char *key, int32_t value)
{
    return (struct option){key, INT_OF_4, (uint32_t)value};
}

static struct option real(const char *key, float value)
{
    struct option option = {key, FLOAT_OF_4, 0};
    memcpy(&option.bits, &value, sizeof value);
    return option;
}

static void put(uint8_t *buffer, uint32_t *at, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++)
        buffer[(*at)++] = (uint8_t)(value >> 8 * i);
}

/* A map: keys, then the vector of their offsets, then values and types, then the root. */
static uint32_t write_map(uint8_t buffer[OPTION_ROOM], const struct option *options)
{
    uint32_t places[OPTION_COUNT], at = 0;

    for (uint32_t i = 0; i < OPTION_COUNT; i++) {
        places[i] = at;
        strcpy((char *)buffer + at, options[i].key);
        at += (uint32_t)strlen(options[i].key) + 1;
    }
    at = (at + 3) / 4 * 4;
    put(buffer, &at, OPTION_COUNT);
    const uint32_t keys = at;
    for (uint32_t i = 0; i < OPTION_COUNT; i++)
        put(buffer, &at, at - places[i]);
    put(buffer, &at, at - keys);
    put(buffer, &at, 4); /* bytes of a key's offset */
    put(buffer, &at, OPTION_COUNT);
    const uint32_t values = at;
    for (uint32_t i = 0; i < OPTION_COUNT; i++)
        put(buffer, &at, options[i].bits);
    for (uint32_t i = 0; i < OPTION_COUNT; i++)
        buffer[at++] = options[i].type;
    put(buffer, &at, at - values);
    buffer[at++] = MAP_OF_4;
    buffer[at++] = 4;
    return at;
}

/* ---- The operator ---------------------------------------------------------------------------- */

/* TensorFlow Lite leaves what is not used unwritten: there are more boxes than it may find. Classes
 * of equal scores, of one box or of all boxes after regular suppression, have no order that is a
 * definition: 8 bits have one class per box. */
void hy_op_detection(struct hy_op_draft *draft)
{
    const int32_t boxes = hy_op_between(draft, 40, 60), classes = hy_op_between(draft, 1, 4);
    const int32_t most = hy_op_between(draft, 1, 5);
    const bool has_equals = draft->type != HY_TFLITE_FLOAT32;
    const bool regular = !has_equals && hy_op_pick(draft, 2);
    const int32_t each = has_equals || regular ? 1 : hy_op_between(draft, 1, classes);
    const int32_t places = most * each;
    const struct option options[OPTION_COUNT] = {
        whole("detections_per_class", hy_op_between(draft, 5, 12)),
        real("h_scale", 5.0f),
        whole("max_classes_per_detection", each),
        whole("max_detections", most),
        real("nms_iou_threshold", hy_op_real(draft, 0.6f, 0.95f)),
        real("nms_score_threshold", hy_op_real(draft, -0.5f, 0.1f)),
        whole("num_classes", classes),
        {"use_regular_nms", BOOL_OF_4, regular},
        real("w_scale", 5.0f),
        real("x_scale", 10.0f),
        real("y_scale", 10.0f),
    };
    struct hy_op_tensor codes =
        hy_op_of(draft, HY_TFLITE_FLOAT32, 3, (const int32_t[]){1, boxes, 4});
    struct hy_op_tensor scores =
        hy_op_of(draft, draft->type, 3, (const int32_t[]){1, boxes, classes + 1});
    struct hy_op_tensor anchors =
        hy_op_of(draft, HY_TFLITE_FLOAT32, 2, (const int32_t[]){boxes, 4});
    uint8_t *map = hy_op_memory(draft, OPTION_ROOM);

    codes.low = -2.0f;
    codes.high = 2.0f;
    scores = hy_op_scaled(&scores, 1.0f / 16, 0);
    scores.low = 0.01f;
    scores.high = scores.type == HY_TFLITE_FLOAT32 ? 1.0f : 15.0f;
    anchors.low = 0.2f;
    anchors.high = 0.8f;
    hy_op_input(draft, &codes);
    hy_op_input(draft, &scores);
    hy_op_constant(draft, &anchors);
    hy_op_custom(draft, "TFLite_Detection_PostProcess", map, write_map(map, options));
    codes = hy_op_shaped(&codes, 3, (const int32_t[]){1, places, 4});
    hy_op_output(draft, &codes);
    codes = hy_op_shaped(&codes, 2, (const int32_t[]){1, places});
    hy_op_output(draft, &codes);
    hy_op_output(draft, &codes);
    codes = hy_op_shaped(&codes, 1, (const int32_t[]){1});
    hy_op_output(draft, &codes);
}
