#include "runtime/plan/cost/record.h"

#include "android/NeuralNetworks.h"
#include "runtime/extension/code_text.h"
#include "runtime/plan/cost/cost_model.h"
#include "runtime/plan/cost/work_estimate.h"

#define LEAST_NS 1.0 /* lower limit, for times below the clock resolution */

enum hy_code hy_plan_record(const struct hy_plan *plan, uint32_t operation, double ns,
                            struct hy_profile *profile, struct hy_error *err)
{
    const struct hy_model *model = plan->request.model;
    const struct hy_operation *own = &model->main->operations[operation];
    const struct hy_step *step = &plan->steps[plan->step_of[operation]];
    const char *name = hy_operation_text(own->type);

    if (step->operation_count != 1)
        return hy_fail(err, HY_BAD_DATA, "%s: the step has %u operations, needs 1", name,
                       step->operation_count);
    if (own->type == ANEURALNETWORKS_IF || own->type == ANEURALNETWORKS_WHILE)
        return hy_fail(err, HY_BAD_DATA,
                       "%s: control flow cannot be recorded, the cost comes from the bodies", name);

    const double launch =
        profile->launch_ns > 0 ? profile->launch_ns : hy_launch_cost(step->device);
    const double bytes = (double)step->input_bytes + (double)step->output_bytes;
    const double left = ns - launch - bytes * hy_byte_cost(step->device);
    const struct hy_work_estimate estimate = hy_work_estimate_of(model->main, own);
    const struct hy_profile_key key = {
        .operation = own->type,
        .type = own->input_count ? model->main->operands[own->inputs[0]].type : 0,
        .relaxed = model->relaxed_float == 1,
    };
    return hy_profile_add(profile, key, estimate.units > 1 ? estimate.units : 1,
                          left > LEAST_NS ? left : LEAST_NS, err);
}
