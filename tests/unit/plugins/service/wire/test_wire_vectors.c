#include "tests/kit/test.h"

#include "tests/unit/plugins/service/wire/kit/round_trip.h"
#include "tests/unit/plugins/service/wire/kit/same.h"
#include "tests/unit/plugins/service/wire/kit/vector_model.h"
#include "tools/vectors/files.h"

/* The models of the shared vectors: every operation, as people use it. */

static void send_model(struct round_trip *round_trip, const struct hy_vector *vector)
{
    const struct hy_model *model = hy_wire_vector_model(&round_trip->samples, vector);
    struct hy_model back = {0};
    struct hy_pool *pools = NULL;

    hy_pack_reset(&round_trip->pack);
    hy_model_pack(&round_trip->pack, model);
    round_trip_start_reading(round_trip);
    hy_model_unpack(&round_trip->in, &back, &pools);
    if (hy_unpack_end(&round_trip->in) != HY_OK || !same_model(model, &back))
        hy_test_fail(__FILE__, __LINE__, "%s: %s", vector->name, round_trip->err.text);
    else
        hy_test_pass(__FILE__, __LINE__);
}

static void send_models_of(const struct hy_vector_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        struct round_trip round_trip;
        round_trip_open(&round_trip, 0);
        send_model(&round_trip, &file->vectors[i]);
        round_trip_close(&round_trip);
    }
}

static void send_models_in(const char *dir)
{
    struct hy_vector_files files = {0};
    struct hy_error err = {0};

    EXPECT_INT(hy_vector_files_add(&files, dir, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT(files.count > 0);
    for (uint32_t i = 0; i < files.count; i++)
        send_models_of(&files.files[i]);
    hy_vector_files_finish(&files);
}

TEST(wire_vectors, models_of_our_vectors_come_back_member_by_member)
{
    send_models_in(HY_VECTORS_DIR);
}

TEST(wire_vectors, models_of_shared_vectors_come_back_member_by_member)
{
    const char *shared = hy_test_shared_dir();
    char dir[4096];

    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    send_models_in(dir);
}
