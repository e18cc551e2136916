/* Requests that are given once and run many times. */
#include "scene.h"

#include "test.h"

static bool create(struct scene *scene, struct scene_request *request, void **reusable)
{
    *reusable = NULL;
    if (!scene_open(scene, HY_DRIVER_ABI))
        return false;
    EXPECT(scene->table->reusable_create != NULL);
    if (!scene->table->reusable_create)
        return false;
    scene_request_init(request, scene, 0, 1, 2);
    EXPECT_INT(
        scene->table->reusable_create(scene->prepared, &request->view, &request->options, reusable),
        HY_STATUS_OK);
    return *reusable;
}

TEST(driver_reusable, contents_change_between_runs)
{
    struct scene scene;
    struct scene_request request;
    void *reusable;
    if (create(&scene, &request, &reusable)) {
        for (unsigned i = 0; i < 5; i++) {
            scene_fill(&scene, 0, (float)i);
            scene_fill(&scene, 1, 2);
            EXPECT_INT(scene.table->reusable_execute(reusable, HY_NO_DEADLINE, &request.result),
                       HY_STATUS_OK);
            EXPECT(scene_value(&scene, 2) == (float)i + 2);
            EXPECT_INT(request.shape.dims[0], SCENE_EXTENT);
        }
        scene.table->reusable_destroy(reusable);
    }
    scene_close(&scene);
}

/* It comes with each run. */
TEST(driver_reusable, deadline_is_that_of_the_run)
{
    struct scene scene;
    struct scene_request request;
    void *reusable;
    if (create(&scene, &request, &reusable)) {
        const int32_t late = scene.table->reusable_execute(reusable, 1, &request.result);
        EXPECT(late == HY_STATUS_MISSED_DEADLINE_TRANSIENT ||
               late == HY_STATUS_MISSED_DEADLINE_PERSISTENT);
        EXPECT_INT(scene.table->reusable_execute(reusable, HY_NO_DEADLINE, &request.result),
                   HY_STATUS_OK);
        scene.table->reusable_destroy(reusable);
    }
    scene_close(&scene);
}
