#include "tests/kit/test.h"

#include "plugins/service/wire/messages.h"
#include "tests/unit/plugins/service/wire/kit/bodies.h"

/* What holds for every body of the protocol alike. */

enum { ROUNDS = 100 };

struct echo {
    struct hy_wire_samples samples;
    struct hy_pack sent;  /* as it was made */
    struct hy_pack again; /* as it came out of reading and writing */
    struct hy_error err;
};

static void make(struct echo *echo, const struct hy_wire_body *body, uint64_t seed)
{
    *echo = (struct echo){.samples.chance = {seed}};
    hy_pack_init(&echo->sent);
    hy_pack_init(&echo->again);
    hy_wire_make(body, &echo->samples, &echo->sent);
    EXPECT_INT(echo->sent.code, HY_OK);
}

static void finish(struct echo *echo)
{
    hy_arena_finish(&echo->samples.arena);
    hy_pack_finish(&echo->sent);
    hy_pack_finish(&echo->again);
}

static enum hy_code try(struct echo *echo, const struct hy_wire_body *body, size_t size,
                        uint32_t fd_count)
{
    return hy_wire_try(body, echo->sent.bytes, size, echo->sent.fds, fd_count, &echo->again,
                       &echo->err);
}

static int is_same(const struct hy_pack *a, const struct hy_pack *b)
{
    return a->size == b->size && a->fd_count == b->fd_count &&
           (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0) &&
           memcmp(a->fds, b->fds, a->fd_count * sizeof(int)) == 0;
}

TEST(wire_bodies, every_message_has_its_bodies)
{
#define MESSAGE(number, NAME, label, sender_, position_, way_, ...) \
    { \
        int bodies = 0, replies = 0; \
        for (uint32_t i = 0; hy_wire_body(i); i++) { \
            bodies += hy_wire_body(i)->kind == HY_WIRE_##NAME; \
            replies += hy_wire_body(i)->kind == (HY_WIRE_##NAME | HY_WIRE_REPLY); \
        } \
        EXPECT_INT(bodies, 1); \
        EXPECT_INT(replies > 0, strcmp(#way_, "CALL") == 0); \
        EXPECT_STR(hy_wire_kind_name(HY_WIRE_##NAME), label); \
        EXPECT_STR(hy_wire_kind_name(HY_WIRE_##NAME | HY_WIRE_REPLY), "answer to " label); \
    }
#include "plugins/service/wire/messages.def"
#undef MESSAGE
    EXPECT_STR(hy_wire_kind_name(99), "unknown message");
}

TEST(wire_bodies, every_body_comes_back_as_it_was)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        for (uint64_t seed = 0; seed < ROUNDS; seed++) {
            struct echo echo;
            make(&echo, hy_wire_body(i), seed);
            if (try(&echo, hy_wire_body(i), echo.sent.size, echo.sent.fd_count) != HY_OK ||
                !is_same(&echo.sent, &echo.again))
                hy_test_fail(__FILE__, __LINE__, "%s, seed %llu: %s", hy_wire_body(i)->name,
                             (unsigned long long)seed, echo.err.text);
            else
                hy_test_pass(__FILE__, __LINE__);
            finish(&echo);
        }
    }
}

/* A body ends where it ends: no prefix of it is another body. */
static void cut(const struct hy_wire_body *body, uint64_t seed)
{
    struct echo echo;

    make(&echo, body, seed);
    for (size_t size = 0; size < echo.sent.size; size++) {
        if (try(&echo, body, size, echo.sent.fd_count) != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu, %zu of %zu bytes: \"%s\"", body->name,
                         (unsigned long long)seed, size, echo.sent.size, echo.err.text);
        else
            EXPECT_CONTAINS(echo.err.text, body->name);
    }
    finish(&echo);
}

TEST(wire_bodies, body_cut_at_any_length_is_refused_with_words)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        for (uint64_t seed = 0; seed < 4; seed++)
            cut(hy_wire_body(i), seed);
    }
}

static void flip(const struct hy_wire_body *body, uint64_t seed)
{
    struct echo echo;

    make(&echo, body, seed);
    for (size_t bit = 0; bit < 8 * echo.sent.size; bit++) {
        echo.sent.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const enum hy_code code = try(&echo, body, echo.sent.size, echo.sent.fd_count);
        if (code != HY_OK && code != HY_BAD_DATA)
            hy_test_fail(__FILE__, __LINE__, "%s, seed %llu, bit %zu: %s", body->name,
                         (unsigned long long)seed, bit, hy_code_name(code));
        else
            hy_test_pass(__FILE__, __LINE__);
        echo.sent.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    finish(&echo);
}

TEST(wire_bodies, body_with_any_bit_flipped_is_refused_or_well_formed)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        for (uint64_t seed = 0; seed < 4; seed++)
            flip(hy_wire_body(i), seed);
    }
}

TEST(wire_bodies, missing_and_surplus_descriptors_are_refused)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        const struct hy_wire_body *body = hy_wire_body(i);
        struct echo echo;
        make(&echo, body, 5);
        const uint32_t count = echo.sent.fd_count;
        hy_pack_fd(&echo.sent, 99);
        EXPECT_INT(try(&echo, body, echo.sent.size, count + 1), HY_BAD_DATA);
        EXPECT_CONTAINS(echo.err.text, "descriptors");
        if (count > 0) {
            EXPECT_INT(try(&echo, body, echo.sent.size, count - 1), HY_BAD_DATA);
            EXPECT_CONTAINS(echo.err.text, "descriptors");
        }
        finish(&echo);
    }
}

TEST(wire_bodies, surplus_bytes_are_refused)
{
    for (uint32_t i = 0; hy_wire_body(i); i++) {
        const struct hy_wire_body *body = hy_wire_body(i);
        struct echo echo;
        make(&echo, body, 6);
        const uint64_t more = 0;
        hy_pack_copy(&echo.sent, &more, 1, sizeof more);
        EXPECT_INT(try(&echo, body, echo.sent.size, echo.sent.fd_count), HY_BAD_DATA);
        EXPECT_CONTAINS(echo.err.text, "8 unexpected bytes");
        finish(&echo);
    }
}
