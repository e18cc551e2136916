#include "cpu_fallback/kernels/box.h"

#include <math.h>

static float clamp(float value, float most)
{
    return fminf(fmaxf(value, 0), most);
}

struct hy_box hy_box_transform(const struct hy_box *box, const struct hy_box_delta *delta,
                               const struct hy_image_extent *image)
{
    float width = box->x2 - box->x1, height = box->y2 - box->y1;
    float x = (box->x1 + box->x2) / 2 + delta->dx * width;
    float y = (box->y1 + box->y2) / 2 + delta->dy * height;
    float half_width = expf(delta->dw) * width / 2, half_height = expf(delta->dh) * height / 2;

    return (struct hy_box){
        .x1 = clamp(x - half_width, image->width),
        .y1 = clamp(y - half_height, image->height),
        .x2 = clamp(x + half_width, image->width),
        .y2 = clamp(y + half_height, image->height),
    };
}

static float area(const struct hy_box *box)
{
    return (box->x2 - box->x1) * (box->y2 - box->y1);
}

float hy_box_overlap(const struct hy_box *a, const struct hy_box *b)
{
    float width = fmaxf(0, fminf(a->x2, b->x2) - fmaxf(a->x1, b->x1));
    float height = fmaxf(0, fminf(a->y2, b->y2) - fmaxf(a->y1, b->y1));
    float common = width * height;

    return common / (area(a) + area(b) - common);
}
