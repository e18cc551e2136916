/*
 * Networks from files, and sessions that run them, for C++17: halyard/session.h with owning
 * classes, exceptions and spans. Header-only; link with `pkg-config --libs halyard`.
 *
 *     halyard::Session session(halyard::Network::open("mobilenet.tflite"));
 *     session.read_input(0, "cat.jpg");
 *     session.run();
 *     for (const halyard::Rank &rank : session.top(0, 5))
 *         std::printf("%g %s\n", rank.value, rank.label);
 *
 * Every function does the same as the function of the same name in halyard/session.h, which is the
 * reference for units, lifetimes, threads and result codes. A function without noexcept throws
 * halyard::Error or std::bad_alloc. A moved-from object can be destroyed and assigned to; its other
 * functions throw.
 */
#ifndef HALYARD_SESSION_HPP
#define HALYARD_SESSION_HPP

#include <halyard/halyard.h>
#include <halyard/session.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halyard
{

/* ---- Errors ---------------------------------------------------------------------------------- */

/** A call that failed: what() is the text of halyard_last_error. */
class Error : public std::runtime_error
{
  public:
    /** An error with a result code and a text. */
    Error(int code, const std::string &words) : std::runtime_error(words), code_(code)
    {
    }

    /** An ANEURALNETWORKS_ result code. */
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

/** Throws an Error if the code is not NO_ERROR. */
inline void check(int code)
{
    if (code != ANEURALNETWORKS_NO_ERROR)
        throw Error(code, halyard_last_error());
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/** Contiguous elements that the span does not own: C++17 has no std::span. */
template <typename T> class Span
{
    template <typename C>
    using Element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

    /* Elements of a derived class have another size. */
    template <typename U> static constexpr bool fits = std::is_convertible_v<U (*)[], T (*)[]>;

  public:
    /** The type of an element, and the type without const. */
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    /** An empty span. */
    constexpr Span() noexcept = default;
    /** `size` elements from `data` on. */
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }

    /** From a container or an array, except for a temporary object. */
    template <typename C, typename = std::enable_if_t<fits<Element<C>>>>
    constexpr Span(C &elements) noexcept : data_(std::data(elements)), size_(std::size(elements))
    {
    }
    /** From a span of writable elements to a span of constant elements. */
    template <typename U, typename = std::enable_if_t<fits<U>>>
    constexpr Span(Span<U> other) noexcept : data_(other.data()), size_(other.size())
    {
    }

    /** The first element. */
    constexpr T *data() const noexcept
    {
        return data_;
    }
    /** The number of elements. */
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    /** Whether the span has no element. */
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    /** The first element, for loops. */
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    /** The address behind the last element, for loops. */
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    /** An element by its index, unchecked. */
    constexpr T &operator[](std::size_t index) const noexcept
    {
        return data_[index];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** A container gives a span of its elements. */
template <typename C>
Span(C &) -> Span<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;

/** The bytes of elements. */
template <typename T> Span<const std::byte> as_bytes(Span<T> elements) noexcept
{
    return {reinterpret_cast<const std::byte *>(elements.data()), elements.size() * sizeof(T)};
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/** The type of a tensor's elements. */
enum class Type : std::int32_t {
    float32 = HALYARD_TYPE_FLOAT32,
    float16 = HALYARD_TYPE_FLOAT16,
    int32 = HALYARD_TYPE_INT32,
    uint8 = HALYARD_TYPE_UINT8,
    int64 = HALYARD_TYPE_INT64,
    string = HALYARD_TYPE_STRING,
    boolean = HALYARD_TYPE_BOOL,
    int16 = HALYARD_TYPE_INT16,
    complex64 = HALYARD_TYPE_COMPLEX64,
    int8 = HALYARD_TYPE_INT8,
    float64 = HALYARD_TYPE_FLOAT64,
    complex128 = HALYARD_TYPE_COMPLEX128,
    uint64 = HALYARD_TYPE_UINT64,
    resource = HALYARD_TYPE_RESOURCE,
    variant = HALYARD_TYPE_VARIANT,
    uint32 = HALYARD_TYPE_UINT32,
    uint16 = HALYARD_TYPE_UINT16,
    int4 = HALYARD_TYPE_INT4,
    bfloat16 = HALYARD_TYPE_BFLOAT16,
};

namespace detail
{

/* "" for NULL, which is the value of a member unknown to an older library. */
inline std::string_view text(const char *text) noexcept
{
    return text ? text : std::string_view();
}

} // namespace detail

/** The name of a type: "float32"; "" for an unknown number. */
inline std::string_view type_name(Type type) noexcept
{
    return detail::text(halyard_network_type_name(static_cast<std::int32_t>(type)));
}

/** An input, output or state. The pointers live as long as the pointers of halyard_tensor_info. */
class TensorInfo
{
  public:
    /** The info of a C function. */
    explicit TensorInfo(const halyard_tensor_info &info) noexcept : info_(info)
    {
    }

    std::string_view name() const noexcept
    {
        return detail::text(info_.name);
    }
    Type type() const noexcept
    {
        return static_cast<Type>(info_.type);
    }
    /** The extents in elements; HALYARD_UNKNOWN_EXTENT for an unknown extent. */
    Span<const std::int32_t> extents() const noexcept
    {
        return {info_.extents, info_.rank};
    }
    /** The product of the extents; 0 if an extent is unknown. */
    std::size_t element_count() const noexcept
    {
        std::size_t count = 1;
        for (const std::int32_t extent : extents())
            count *= extent < 0 ? 0 : static_cast<std::size_t>(extent);
        return count;
    }

    /** Empty if the tensor is not quantised; else one scale for all elements, or one for each slice
     * of scale_axis(). */
    Span<const float> scales() const noexcept
    {
        return {info_.scales, info_.scale_count};
    }
    Span<const std::int32_t> zero_points() const noexcept
    {
        return {info_.zero_points, info_.scale_count};
    }
    std::uint32_t scale_axis() const noexcept
    {
        return info_.scale_axis;
    }

    /* From the metadata of the file; empty without metadata. */

    std::string_view description() const noexcept
    {
        return detail::text(info_.description);
    }
    Span<const float> means() const noexcept
    {
        return {info_.means, info_.mean_count};
    }
    Span<const float> stds() const noexcept
    {
        return {info_.stds, info_.mean_count};
    }
    Span<const char *const> labels() const noexcept
    {
        return {info_.labels, info_.label_count};
    }
    Span<const char *const> value_labels() const noexcept
    {
        return {info_.value_labels, info_.value_label_count};
    }

  private:
    halyard_tensor_info info_;
};

namespace detail
{

template <typename T> constexpr Type type_of() noexcept
{
    if constexpr (std::is_same_v<T, float>)
        return Type::float32;
    else if constexpr (std::is_same_v<T, double>)
        return Type::float64;
    else if constexpr (std::is_same_v<T, std::int8_t>)
        return Type::int8;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return Type::uint8;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return Type::int16;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return Type::uint16;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return Type::int32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return Type::uint32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return Type::int64;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return Type::uint64;
    else
        static_assert(!std::is_same_v<T, T>, "no tensor has elements of this type");
}

/* Whether T can represent elements of a type. C++ has no type for a bool of one byte with any
 * value, and none for 16-bit floats. */
template <typename T> constexpr bool holds(Type type) noexcept
{
    if (type == Type::boolean)
        return std::is_same_v<T, std::uint8_t>;
    if (type == Type::float16 || type == Type::bfloat16)
        return std::is_same_v<T, std::uint16_t>;
    return type == type_of<T>();
}

template <typename T> void check_type(const char *kind, std::uint32_t index, const TensorInfo &info)
{
    using Element = std::remove_cv_t<T>;
    if constexpr (!std::is_same_v<Element, std::byte>) {
        if (!holds<Element>(info.type()))
            throw Error(ANEURALNETWORKS_BAD_DATA,
                        std::string(kind) + " " + std::to_string(index) + " " +
                            std::string(info.name()) + ": has elements of " +
                            std::string(type_name(info.type())) + ", not of " +
                            std::string(type_name(type_of<Element>())));
    }
}

/* Calls a C function that describes a tensor: get(object, place..., &info). */
template <typename Function, typename... Place>
TensorInfo tensor_info(Function get, const Place &...place)
{
    halyard_tensor_info info{};
    info.struct_size = sizeof info;
    check(get(place..., &info));
    return TensorInfo(info);
}

inline std::uint64_t nanoseconds(std::chrono::nanoseconds duration)
{
    if (duration.count() < 0)
        throw Error(ANEURALNETWORKS_BAD_DATA, "a deadline is negative");
    return static_cast<std::uint64_t>(duration.count());
}

} // namespace detail

/* ---- Networks -------------------------------------------------------------------------------- */

/** halyard_network_options. */
struct NetworkOptions {
    std::uint32_t max_operations = 0;
    std::uint64_t max_memory = 0;
};

/** An operator of the file. */
using Operator = ::halyard_network_operator;

/** Memory in bytes. */
using NetworkMemory = ::halyard_network_memory;

/** An open file. Sessions keep the file open after the end of the Network object. */
class Network
{
  public:
    /** As halyard_network_open. */
    static Network open(const std::string &path, const NetworkOptions &options = {})
    {
        const halyard_network_options c_options = to_c(options);
        halyard_network *network = nullptr;
        check(halyard_network_open(path.c_str(), &c_options, &network));
        return Network(network);
    }

    /** As halyard_network_open_memory: the bytes outlive the network and its sessions. */
    static Network open_memory(Span<const std::byte> bytes, const NetworkOptions &options = {})
    {
        const halyard_network_options c_options = to_c(options);
        halyard_network *network = nullptr;
        check(halyard_network_open_memory(bytes.data(), bytes.size(), &c_options, &network));
        return Network(network);
    }

    /** A network can be moved, not copied. */
    Network(Network &&) noexcept = default;
    Network &operator=(Network &&) noexcept = default;
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    std::string_view format() const noexcept
    {
        return detail::text(halyard_network_format(get()));
    }
    std::string_view description() const noexcept
    {
        return detail::text(halyard_network_description(get()));
    }
    std::string_view metadata_note() const noexcept
    {
        return detail::text(halyard_network_metadata_note(get()));
    }

    std::uint32_t signature_count() const noexcept
    {
        return halyard_network_signature_count(get());
    }
    /** "" also for an index out of range. */
    std::string_view signature_name(std::uint32_t signature) const noexcept
    {
        return detail::text(halyard_network_signature_name(get(), signature));
    }
    std::uint32_t find_signature(const std::string &name) const
    {
        std::uint32_t signature = 0;
        check(halyard_network_find_signature(get(), name.c_str(), &signature));
        return signature;
    }

    std::uint32_t input_count(std::uint32_t signature = 0) const noexcept
    {
        return halyard_network_input_count(get(), signature);
    }
    std::uint32_t output_count(std::uint32_t signature = 0) const noexcept
    {
        return halyard_network_output_count(get(), signature);
    }
    TensorInfo input_info(std::uint32_t index, std::uint32_t signature = 0) const
    {
        return detail::tensor_info(halyard_network_get_input, get(), signature, index);
    }
    TensorInfo output_info(std::uint32_t index, std::uint32_t signature = 0) const
    {
        return detail::tensor_info(halyard_network_get_output, get(), signature, index);
    }

    const ANeuralNetworksModel *model(std::uint32_t signature = 0) const
    {
        const ANeuralNetworksModel *model = nullptr;
        check(halyard_network_get_model(get(), signature, &model));
        return model;
    }
    std::uint32_t operator_count(std::uint32_t signature = 0) const noexcept
    {
        return halyard_network_operator_count(get(), signature);
    }
    Operator operator_info(std::uint32_t index, std::uint32_t signature = 0) const
    {
        Operator found{};
        found.struct_size = sizeof found;
        check(halyard_network_get_operator(get(), signature, index, &found));
        return found;
    }
    NetworkMemory memory(std::uint32_t signature = 0) const
    {
        NetworkMemory memory{};
        memory.struct_size = sizeof memory;
        check(halyard_network_get_memory(get(), signature, &memory));
        return memory;
    }

    /** For the functions of halyard/session.h; NULL after a move. */
    halyard_network *get() const noexcept
    {
        return network_.get();
    }

  private:
    friend class Session;

    explicit Network(halyard_network *network) : network_(network, halyard_network_close)
    {
    }

    static halyard_network_options to_c(const NetworkOptions &options) noexcept
    {
        halyard_network_options out{};
        out.struct_size = sizeof out;
        out.max_operations = options.max_operations;
        out.max_memory = options.max_memory;
        return out;
    }

    std::shared_ptr<halyard_network> network_;
};

/* ---- Sessions -------------------------------------------------------------------------------- */

/** Finds a device by name. BAD_DATA: no device has the name. */
inline const ANeuralNetworksDevice *find_device(std::string_view wanted)
{
    std::uint32_t count = 0;
    std::string names;

    check(ANeuralNetworks_getDeviceCount(&count));
    for (std::uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = nullptr;
        const char *name = nullptr;
        check(ANeuralNetworks_getDevice(i, &device));
        check(ANeuralNetworksDevice_getName(device, &name));
        if (wanted == name)
            return device;
        names += i == 0 ? "" : ", ";
        names += name;
    }
    throw Error(ANEURALNETWORKS_BAD_DATA,
                "no device is called " + std::string(wanted) + "; there are " + names);
}

/** halyard_session_options, with the defaults of HALYARD_SESSION_OPTIONS. */
struct SessionOptions {
    std::uint32_t signature = 0;
    /* Empty: the planner chooses from all devices */
    std::vector<const ANeuralNetworksDevice *> devices;

    std::int32_t preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER;
    std::int32_t priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
    /* Empty: no cache */
    std::string cache_dir;
    /* The time limit of each run; 0: none */
    std::chrono::nanoseconds deadline{0};
    /* The time limit of each compilation; 0: none */
    std::chrono::nanoseconds compile_deadline{0};

    std::uint64_t max_memory = 0;
    std::uint32_t max_operations = 0;
    std::uint32_t threads = 0;
    bool relaxed = false;
    bool burst = false;
    bool fenced = false;
    bool split_operations = false;
    bool only_cached = false;
    bool compile_later = false;
};

/** The part of a picture that an input gets: HALYARD_FIT_*. */
enum class Fit : std::int32_t {
    stretch = HALYARD_FIT_STRETCH,
    crop = HALYARD_FIT_CROP,
    letterbox = HALYARD_FIT_LETTERBOX,
};

/** The order of the channels of an input: HALYARD_CHANNELS_*. */
enum class Channels : std::int32_t {
    rgb = HALYARD_CHANNELS_RGB,
    bgr = HALYARD_CHANNELS_BGR,
};

/** The order of the dimensions of an input: HALYARD_LAYOUT_*. */
enum class Layout : std::int32_t {
    from_shape = HALYARD_LAYOUT_FROM_SHAPE,
    nhwc = HALYARD_LAYOUT_NHWC,
    nchw = HALYARD_LAYOUT_NCHW,
};

/** halyard_image_options. */
struct ImageOptions {
    Fit fit = Fit::stretch;
    Channels channels = Channels::rgb;
    Layout layout = Layout::from_shape;
    /* No elements, one, or one for each channel; means and stds have the same size */
    std::vector<float> means;
    std::vector<float> stds;
};

/** An element of an output, with its class. */
using Rank = ::halyard_rank;

/** A network that is ready to run, with its buffers. One thread at a time uses a session, except
 * for cancel(). */
class Session
{
  public:
    /** As halyard_session_create. The session keeps the file of the network open. */
    explicit Session(const Network &network, const SessionOptions &options = {})
        : network_(network.network_)
    {
        halyard_session_options c_options{};
        c_options.struct_size = sizeof c_options;
        c_options.signature = options.signature;
        c_options.device_count = static_cast<std::uint32_t>(options.devices.size());
        c_options.devices = options.devices.data();
        c_options.preference = options.preference;
        c_options.priority = options.priority;
        c_options.cache_dir = options.cache_dir.empty() ? nullptr : options.cache_dir.c_str();
        c_options.deadline_ns = detail::nanoseconds(options.deadline);
        c_options.compile_deadline_ns = detail::nanoseconds(options.compile_deadline);
        c_options.max_memory = options.max_memory;
        c_options.max_operations = options.max_operations;
        c_options.threads = options.threads;
        c_options.relaxed = options.relaxed;
        c_options.burst = options.burst;
        c_options.fenced = options.fenced;
        c_options.split_operations = options.split_operations;
        c_options.only_cached = options.only_cached;
        c_options.compile_later = options.compile_later;

        halyard_session *session = nullptr;
        check(halyard_session_create(network_.get(), &c_options, &session));
        session_.reset(session);
    }

    /** A session can be moved, not copied. */
    Session(Session &&) noexcept = default;
    /** Ends the session that the variable held before. */
    Session &operator=(Session &&other) noexcept
    {
        /* Assignment of member by member would destroy members in the wrong order. */
        Session taken(std::move(other));
        network_.swap(taken.network_);
        done_.swap(taken.done_);
        session_.swap(taken.session_);
        return *this;
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    std::uint32_t input_count() const noexcept
    {
        return halyard_session_input_count(get());
    }
    std::uint32_t output_count() const noexcept
    {
        return halyard_session_output_count(get());
    }
    TensorInfo input_info(std::uint32_t index) const
    {
        return detail::tensor_info(halyard_session_get_input, get(), index);
    }
    TensorInfo output_info(std::uint32_t index) const
    {
        return detail::tensor_info(halyard_session_get_output, get(), index);
    }

    /** As halyard_session_resize: spans of the input and of all outputs become invalid. */
    void resize(std::uint32_t input, Span<const std::int32_t> extents)
    {
        check(halyard_session_resize(get(), input, static_cast<std::uint32_t>(extents.size()),
                                     extents.data()));
    }
    void prepare()
    {
        check(halyard_session_prepare(get()));
    }

    /** The buffer of an input, as elements of the tensor's type or as std::byte. float16 and
     * bfloat16 are std::uint16_t, bool is std::uint8_t. BAD_DATA: the tensor has another type. */
    template <typename T> Span<T> input(std::uint32_t index)
    {
        detail::check_type<T>("input", index, input_info(index));
        void *bytes = nullptr;
        std::size_t length = 0;
        check(halyard_session_input_buffer(get(), index, &bytes, &length));
        return {static_cast<T *>(bytes), length / sizeof(T)};
    }

    /** As input(), for an output after a run. */
    template <typename T> Span<const T> output(std::uint32_t index)
    {
        detail::check_type<T>("output", index, output_info(index));
        void *bytes = nullptr;
        std::size_t length = 0;
        check(halyard_session_output_buffer(get(), index, &bytes, &length));
        return {static_cast<const T *>(bytes), length / sizeof(T)};
    }

    /** Binds memory of the app instead of the session's buffer: halyard::Span(values). The memory
     * outlives the runs, or lives until other memory is bound. */
    template <typename T> void bind_input(std::uint32_t index, Span<T> elements)
    {
        detail::check_type<T>("input", index, input_info(index));
        check(
            halyard_session_bind_input(get(), index, elements.data(), elements.size() * sizeof(T)));
    }
    /** As bind_input(), for an output. */
    template <typename T> void bind_output(std::uint32_t index, Span<T> elements)
    {
        detail::check_type<T>("output", index, output_info(index));
        check(halyard_session_bind_output(get(), index, elements.data(),
                                          elements.size() * sizeof(T)));
    }
    /** Back to the session's own buffer. */
    void unbind_input(std::uint32_t index)
    {
        check(halyard_session_bind_input(get(), index, nullptr, 0));
    }
    /** Back to the session's own buffer. */
    void unbind_output(std::uint32_t index)
    {
        check(halyard_session_bind_output(get(), index, nullptr, 0));
    }

    void run()
    {
        check(halyard_session_run(get()));
    }

    /** Starts a run on a thread of Halyard. `done`, if not empty, is called on the thread of the
     * run with the result code. `done` must not throw, and must not call functions of the
     * session. */
    void start(std::function<void(int result)> done = nullptr)
    {
        auto kept = std::make_unique<std::function<void(int)>>(std::move(done));
        check(halyard_session_start(get(), *kept ? call_done : nullptr, kept.get()));
        done_ = std::move(kept);
    }
    void wait()
    {
        check(halyard_session_wait(get()));
    }
    /** As halyard_session_cancel: any thread may call. */
    void cancel() noexcept
    {
        (void)halyard_session_cancel(get());
    }

    std::uint32_t state_count() const noexcept
    {
        return halyard_session_state_count(get());
    }
    TensorInfo state_info(std::uint32_t index) const
    {
        return detail::tensor_info(halyard_session_get_state, get(), index);
    }
    /** A copy of a state tensor, as elements of its type or as std::byte. */
    template <typename T> std::vector<T> read_state(std::uint32_t index) const
    {
        const TensorInfo info = state_info(index);
        detail::check_type<T>("state", index, info);
        std::vector<T> state(info.element_count());
        check(halyard_session_read_state(get(), index, state.data(), state.size() * sizeof(T)));
        return state;
    }
    /** Sets a state tensor from elements of its type or from std::byte. */
    template <typename T> void write_state(std::uint32_t index, Span<T> elements)
    {
        detail::check_type<T>("state", index, state_info(index));
        check(halyard_session_write_state(get(), index, elements.data(),
                                          elements.size() * sizeof(T)));
    }
    /** Ahead-of-time compilation: stores every cacheable step of the session in the session's cache
     * directory. `visit` is called with the result of each step. */
    void fill_cache(halyard_step_visitor visit = nullptr, void *context = nullptr)
    {
        check(halyard_session_fill_cache(get(), visit, context));
    }
    /** Compiles again from the cache alone. Throws if a step is not in the cache. */
    void check_cache(halyard_step_visitor visit = nullptr, void *context = nullptr)
    {
        check(halyard_session_check_cache(get(), visit, context));
    }
    void reset_state()
    {
        check(halyard_session_reset_state(get()));
    }

    /** Fills an input from a file, and returns one sentence about the conversion of the data. */
    std::string read_input(std::uint32_t index, const std::string &path,
                           const ImageOptions &options = {})
    {
        const halyard_image_options c_options = to_c(options);
        char note[512] = "";
        check(
            halyard_session_read_input(get(), index, path.c_str(), &c_options, note, sizeof note));
        return note;
    }
    void set_pixels(std::uint32_t index, const void *pixels, std::uint32_t width,
                    std::uint32_t height, std::uint32_t channels, std::size_t stride,
                    const ImageOptions &options = {})
    {
        const halyard_image_options c_options = to_c(options);
        check(halyard_session_set_pixels(get(), index, pixels, width, height, channels, stride,
                                         &c_options));
    }
    void read_labels(std::uint32_t output, const std::string &path)
    {
        check(halyard_session_read_labels(get(), output, path.c_str()));
    }

    /** The `count` largest elements, or all elements if fewer exist, in descending order. */
    std::vector<Rank> top(std::uint32_t output, std::uint32_t count) const
    {
        std::vector<Rank> ranks(count);
        check(halyard_session_top(get(), output, ranks.data(), &count));
        ranks.resize(count);
        return ranks;
    }
    /** All elements as real numbers, dequantised. */
    std::vector<double> read_output(std::uint32_t output) const
    {
        std::vector<double> values(output_info(output).element_count());
        check(halyard_session_read_output(get(), output, values.data(), values.size()));
        return values;
    }

    ANeuralNetworksCompilation *compilation() const noexcept
    {
        return halyard_session_compilation(get());
    }
    std::uint32_t operator_of(std::uint32_t operation) const noexcept
    {
        return halyard_session_operator_of(get(), operation);
    }

    /** For the functions of halyard/session.h; NULL after a move. */
    halyard_session *get() const noexcept
    {
        return session_.get();
    }

  private:
    struct Free {
        void operator()(halyard_session *session) const noexcept
        {
            halyard_session_free(session);
        }
    };

    static void call_done(void *context, int result) noexcept
    {
        (*static_cast<std::function<void(int)> *>(context))(result);
    }

    static halyard_image_options to_c(const ImageOptions &options)
    {
        halyard_image_options out{};
        const std::size_t room = sizeof out.means / sizeof *out.means;

        if (options.means.size() != options.stds.size() || options.means.size() > room)
            throw Error(ANEURALNETWORKS_BAD_DATA,
                        "pictures: " + std::to_string(options.means.size()) + " means and " +
                            std::to_string(options.stds.size()) +
                            " stds; wanted are as many of both, and 4 at most");
        out.struct_size = sizeof out;
        out.fit = static_cast<std::int32_t>(options.fit);
        out.channels = static_cast<std::int32_t>(options.channels);
        out.layout = static_cast<std::int32_t>(options.layout);
        out.mean_count = static_cast<std::uint32_t>(options.means.size());
        for (std::size_t i = 0; i < options.means.size(); i++) {
            out.means[i] = options.means[i];
            out.stds[i] = options.stds[i];
        }
        return out;
    }

    /* Destruction runs backwards: first the session, which ends its run, next the function that the
     * run calls, last the network. */
    std::shared_ptr<halyard_network> network_;
    std::unique_ptr<std::function<void(int)>> done_;
    std::unique_ptr<halyard_session, Free> session_;
};

} // namespace halyard

#endif
