#include "cpu_fallback/kernels/farmhash.h"

#include "tests/kit/test.h"

/* Known fingerprints: one for every length at which the algorithm takes another way. */

static uint64_t hash_text(const char *text)
{
    return hy_farmhash_64(text, strlen(text));
}

/* Of "abc...zabc..." cut to a length. */
static uint64_t hash_alphabet(size_t length)
{
    char text[160];

    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + i % 26);
    return hy_farmhash_64(text, length);
}

TEST(kernels_farmhash, short_texts)
{
    EXPECT(hash_text("") == UINT64_C(0x9ae16a3b2f90404f));
    EXPECT(hash_text("a") == UINT64_C(0xb3454265b6df75e3));
    EXPECT(hash_text("abc") == UINT64_C(0x24a5b3a074e7f369));
    EXPECT(hash_text("abcd") == UINT64_C(0x1a5502de4a1f8101));
    EXPECT(hash_text("abcdefg") == UINT64_C(0x3c40c92b1ccb7355));
    EXPECT(hash_text("abcdefgh") == UINT64_C(0xfee9d22990c82909));
    EXPECT(hash_text("0123456789'01234") == UINT64_C(0x4283d4ef43627f64));
}

TEST(kernels_farmhash, up_to_64_bytes)
{
    EXPECT(hash_text("0123456789=012345") == UINT64_C(0x46a7416ed4861e3b));
    EXPECT(hash_text("C is as portable as Stonehedge!!") == UINT64_C(0xb944f8a16261e414));
    EXPECT(hash_alphabet(33) == UINT64_C(0x1bd257e2fc3da812));
    EXPECT(hash_alphabet(63) == UINT64_C(0xd52b7a8646a91b9e));
    EXPECT(hash_alphabet(64) == UINT64_C(0x9c4a595c23bb9bfa));
}

TEST(kernels_farmhash, blocks_of_64_bytes)
{
    EXPECT(hash_alphabet(65) == UINT64_C(0x2434d8917886fe2a));
    EXPECT(hash_alphabet(128) == UINT64_C(0xc3244d5ec8a4474a));
    EXPECT(hash_alphabet(129) == UINT64_C(0x9b1ca0571b8cefd4));
}
