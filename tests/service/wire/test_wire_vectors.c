#include "test.h"

#include "tests/service/wire/kit/reading.h"
#include "tests/service/wire/kit/same.h"
#include "tests/service/wire/kit/vector_model.h"
#include "tools/vectors/files.h"

/* The models of the shared vectors: every operation, as people use it. */

static void send_model(struct reading *reading, const struct hy_vector *vector)
{
    const struct hy_model *model = hy_wire_vector_model(&reading->samples, vector);
    struct hy_model back = {0};
    struct hy_pool *pools = NULL;

    hy_pack_reset(&reading->pack);
    hy_model_pack(&reading->pack, model);
    reading_turn(reading);
    hy_model_unpack(&reading->in, &back, &pools);
    if (hy_unpack_end(&reading->in) != HY_OK || !same_model(model, &back))
        hy_test_fail(__FILE__, __LINE__, "%s: %s", vector->name, reading->err.text);
    else
        hy_test_pass(__FILE__, __LINE__);
}

static void send_models_of(const struct hy_vector_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        struct reading reading;
        reading_open(&reading, 0);
        send_model(&reading, &file->vectors[i]);
        reading_close(&reading);
    }
}

static void send_models_in(const char *folder)
{
    struct hy_vector_files files = {0};
    struct hy_error err = {0};

    EXPECT_INT(hy_vector_files_add(&files, folder, &err), HY_OK);
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
    char folder[4096];

    if (!shared)
        return;
    snprintf(folder, sizeof folder, "%s/conformance", shared);
    send_models_in(folder);
}
