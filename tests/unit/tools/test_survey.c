#include "tests/kit/test.h"

#include "tools/vectors/survey.h"

static const struct hy_vector_operation operations[] = {
    {.type = HY_OP_ADD}, {.type = HY_OP_RELU}, {.type = HY_OP_RELU}};
static const struct hy_vector_model model = {.operation_count = 3, .operations = operations};
static const struct hy_vector vector = {.name = "sample", .model_count = 1, .models = &model};

static void expect_missing(const struct hy_survey *survey, const char *expected)
{
    char names[64];
    EXPECT_INT(hy_survey_missing(survey, &vector, names, sizeof names), *expected != '\0');
    EXPECT_STR(names, expected);
}

TEST(survey, an_operation_is_missing_if_it_was_asked_for_and_never_supported)
{
    struct hy_survey survey = {0};
    expect_missing(&survey, "");
    survey.asked[HY_OP_ADD] = survey.asked[HY_OP_RELU] = true;
    expect_missing(&survey, "ADD, RELU");
    survey.supported[HY_OP_ADD] = true;
    expect_missing(&survey, "RELU");
    survey.supported[HY_OP_RELU] = true;
    expect_missing(&survey, "");
}

TEST(survey, names_that_do_not_fit_are_cut)
{
    struct hy_survey survey = {0};
    survey.asked[HY_OP_ADD] = survey.asked[HY_OP_RELU] = true;
    char names[7];
    EXPECT(hy_survey_missing(&survey, &vector, names, sizeof names));
    EXPECT_STR(names, "ADD, R");
}
