/* Sources of Android bring a NeuralNetworksOEM.h of their own along. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>

#include "maker_codes.h"

TEST(maker_codes, may_be_declared_by_a_header_of_the_app)
{
    EXPECT_INT(ANEURALNETWORKS_OEM_OPERATION, 10000);
    EXPECT_INT(ANEURALNETWORKS_OEM_SCALAR, 10000);
    EXPECT_INT(ANEURALNETWORKS_TENSOR_OEM_BYTE, 10001);
}

TEST(maker_codes, android_level_of_feature_level_5_is_told)
{
    EXPECT_INT(__NNAPI_FL5_MIN_ANDROID_API__, 31);
}
