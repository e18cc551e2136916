#include "expected.h"

#include "halyard/driver.h"
#include "tests/kit/test.h"

void word(struct expected *expected, uint64_t value)
{
    memcpy(expected->bytes + expected->size, &value, sizeof value);
    expected->size += sizeof value;
}

void pair(struct expected *expected, uint32_t first, uint32_t second)
{
    const uint32_t both[] = {first, second};

    memcpy(expected->bytes + expected->size, both, sizeof both);
    expected->size += sizeof both;
}

void floats(struct expected *expected, float first, float second)
{
    const float both[] = {first, second};

    memcpy(expected->bytes + expected->size, both, sizeof both);
    expected->size += sizeof both;
}

void number_and_float(struct expected *expected, uint32_t first, float second)
{
    uint32_t bits;

    memcpy(&bits, &second, sizeof bits);
    pair(expected, first, bits);
}

void float_and_number(struct expected *expected, float first, uint32_t second)
{
    uint32_t bits;

    memcpy(&bits, &first, sizeof bits);
    pair(expected, bits, second);
}

void text(struct expected *expected, const char *string)
{
    const uint32_t length = (uint32_t)strlen(string);

    memcpy(expected->bytes + expected->size, &length, sizeof length);
    memcpy(expected->bytes + expected->size + sizeof length, string, length);
    expected->size += (sizeof length + length + 1 + 7) / 8 * 8;
}

void token_pool(struct expected *expected, uint32_t token)
{
    pair(expected, HY_POOL_BUFFER, 0);
    pair(expected, token, 0);
    for (int i = 0; i < 3; i++)
        word(expected, 0);
}

void expect_bytes(struct hy_pack *pack, const struct expected *expected, const char *what)
{
    EXPECT_INT(pack->code, HY_OK);
    EXPECT_INT(pack->size, expected->size);
    for (size_t i = 0; i < pack->size && i < expected->size; i++) {
        if (pack->bytes[i] != expected->bytes[i]) {
            hy_test_fail(__FILE__, __LINE__, "%s: byte %zu is %#x, expected %#x", what, i,
                         pack->bytes[i], expected->bytes[i]);
            break;
        }
    }
    hy_pack_finish(pack);
}
