#include <math.h>

#include "cpu_fallback/kernels/detection.h"
#include "cpu_fallback/kernels/stop.h"

/* The values around a point; [1][1] is the point itself. */
struct patch {
    float g[3][3];
};

static float value_at(const struct hy_heatmap *map, size_t y, size_t x)
{
    return map->values[y * map->row + x * map->column];
}

/* The first of the highest points. */
static void find_peak(const struct hy_heatmap *map, size_t *peak_y, size_t *peak_x)
{
    struct hy_stop_watch *watch = hy_stop_here();
    float highest = value_at(map, 0, 0);

    *peak_y = *peak_x = 0;
    for (size_t y = 0; y < map->size && !hy_stop_after(watch, map->size); y++) {
        for (size_t x = 0; x < map->size; x++) {
            if (value_at(map, y, x) > highest) {
                highest = value_at(map, y, x);
                *peak_y = y;
                *peak_x = x;
            }
        }
    }
}

/* The index `at` + `offset` - 1, mirrored at the border. */
static size_t mirrored(size_t at, size_t offset, size_t size)
{
    if (at + offset == 0)
        return 1;
    return at + offset > size ? size - 2 : at + offset - 1;
}

static struct patch read_patch(const struct hy_heatmap *map, size_t y, size_t x)
{
    struct patch patch;

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++)
            patch.g[i][k] = value_at(map, mirrored(y, i, map->size), mirrored(x, k, map->size));
    }
    return patch;
}

/* Moves the peak to the peak of the parabola through the patch, at most 1.5 pixels away. Returns
 * the value at the new peak. */
static float refine(const struct patch *patch, float epsilon, float *dx, float *dy)
{
    const float(*g)[3] = patch->g;
    float b0 = -(g[1][2] - g[1][0]) / 2, b1 = -(g[2][1] - g[0][1]) / 2;
    float a00 = g[1][0] - 2 * g[1][1] + g[1][2], a11 = g[0][1] - 2 * g[1][1] + g[2][1];
    float a01 = (g[2][2] - g[2][0] - g[0][2] + g[0][0]) / 4;
    float determinant = a00 * a11 - a01 * a01;

    *dx = *dy = 0;
    if (fabsf(determinant) < epsilon + epsilon * a00 * a11)
        return g[1][1];
    float x = (a11 * b0 - a01 * b1) / determinant, y = (a00 * b1 - a01 * b0) / determinant;
    float distance = fmaxf(fabsf(x), fabsf(y));
    if (distance > 1.5f) {
        x *= 1.5f / distance;
        y *= 1.5f / distance;
    }
    *dx = x;
    *dy = y;
    return g[1][1] - (b0 * x + b1 * y) + (x * (a00 * x + a01 * y) + y * (a01 * x + a11 * y)) / 2;
}

struct hy_keypoint hy_heatmap_max_keypoint(const struct hy_heatmap *map, const struct hy_box *box)
{
    struct hy_keypoint point;
    float dx, dy;
    size_t y, x;

    find_peak(map, &y, &x);
    struct patch patch = read_patch(map, y, x);
    point.score = refine(&patch, map->epsilon, &dx, &dy);
    point.x = box->x1 + ((float)x + dx + 0.5f) / (float)map->size * (box->x2 - box->x1);
    point.y = box->y1 + ((float)y + dy + 0.5f) / (float)map->size * (box->y2 - box->y1);
    return point;
}
