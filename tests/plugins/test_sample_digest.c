/* The digests that the sample driver makes itself, against published and independent answers. */
#include "sample_driver/digest.h"
#include "test.h"

static void expect_digest(const char *bytes, uint64_t length, const char *expected)
{
    uint8_t digest[HY_DIGEST_SIZE];
    char text[2 * HY_DIGEST_SIZE + 1];
    sample_digest(bytes, length, digest);
    for (unsigned i = 0; i < HY_DIGEST_SIZE; i++)
        snprintf(text + (size_t)2 * i, 3, "%02x", digest[i]);
    EXPECT_STR(text, expected);
}

/* Lengths around the end of a block: the length of the message needs eight bytes behind it. */
TEST(sample_digest, is_sha_256)
{
    char many[64];
    memset(many, 'a', sizeof many);
    expect_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest(many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect_digest(many, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    expect_digest(many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(sample_digest, the_checksum_changes_with_every_bit_and_with_the_length)
{
    uint8_t bytes[75];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 29);
    const uint64_t sum = sample_checksum(bytes, sizeof bytes);
    for (unsigned bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        EXPECT(sample_checksum(bytes, sizeof bytes) != sum);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (unsigned length = 0; length < sizeof bytes; length++)
        EXPECT(sample_checksum(bytes, length) != sum);
    EXPECT(sample_checksum(bytes, sizeof bytes) == sum);
}
