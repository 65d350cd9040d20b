// SPDX-License-Identifier: BSD-3-Clause
#ifndef LBRUN_HPP
#define LBRUN_HPP

// The live runtime for C++17 and later: lbrun.h with lambdas, containers and exceptions.
//
//      lbrun::runtime runtime(argc, argv);             // lbrun_start(), and lbrun_stop() at its end
//      lbrun::vector<double> x(n);                     // in cluster memory
//      double *y = x.data();
//      lbrun::task([=] { update(y, n); }, lbrun::inout(x));
//      lbrun::taskwait();
//
// - A task's callable is copied byte by byte, to other processes, too: what it captures is trivially
//   copyable (numbers, pointers into cluster memory, lbrun::span; no containers, no references, no
//   string), at most LBRUN_ARGUMENT_MAX bytes. What is not does not compile. Capture by value. A
//   function is at another address in each process: it is called, not captured.
// - An exception that leaves a task ends the job, with its text; so does one that leaves the scope of
//   lbrun::runtime, and std::terminate().
// - Ranges are given as (pointer, count), or as anything with data() and size(): vectors, arrays,
//   spans (std::span, too).
// - Everything else is as in lbrun.h, and both may be used together.

#include <lbrun.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace lbrun
{

// ---- Life ----

class runtime
{
public:
        runtime(int &argc, char **&argv) : exceptions_(std::uncaught_exceptions())
        {
                lbrun_start(&argc, &argv);
        }
        ~runtime()
        {
                if (std::uncaught_exceptions() > exceptions_)
                        lbrun_fail("an exception leaves the scope of lbrun::runtime");
                lbrun_stop();
        }
        runtime(const runtime &) = delete;
        runtime &operator=(const runtime &) = delete;

private:
        int exceptions_;
};

inline MPI_Comm world()
{
        return lbrun_world();
}

// ---- Memory ----

// For containers in cluster memory, in the main program.
template <class T> struct allocator {
        using value_type = T;
        allocator() = default;
        template <class U> allocator(const allocator<U> &) noexcept
        {
        }
        T *allocate(std::size_t count)
        {
                if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
                        throw std::bad_array_new_length();
                return static_cast<T *>(lbrun_alloc(count * sizeof(T)));
        }
        void deallocate(T *address, std::size_t) noexcept
        {
                lbrun_free(address);
        }
        template <class U> bool operator==(const allocator<U> &) const noexcept
        {
                return true;
        }
        template <class U> bool operator!=(const allocator<U> &) const noexcept
        {
                return false;
        }
};

template <class T> using vector = std::vector<T, allocator<T>>;

// A pointer and a count, for tasks to capture.
template <class T> class span
{
public:
        constexpr span() = default;
        constexpr span(T *data, std::size_t size) : data_(data), size_(size)
        {
        }
        template <class Range, class = decltype(std::data(std::declval<Range &>())),
                  class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<Range>, span>>>
        constexpr span(Range &range) : data_(std::data(range)), size_(std::size(range))
        {
        }
        constexpr T *data() const
        {
                return data_;
        }
        constexpr std::size_t size() const
        {
                return size_;
        }
        constexpr T *begin() const
        {
                return data_;
        }
        constexpr T *end() const
        {
                return data_ + size_;
        }
        constexpr T &operator[](std::size_t i) const
        {
                return data_[i];
        }
        constexpr span subspan(std::size_t first, std::size_t count) const
        {
                return span(data_ + first, count);
        }

private:
        T *data_ = nullptr;
        std::size_t size_ = 0;
};
template <class Range>
span(Range &) -> span<std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>>;

// ---- Accesses ----

using access = lbrun_access;

template <class T> access access_of(lbrun_mode mode, const T *address, std::size_t count)
{
        static_assert(std::is_trivially_copyable_v<T>, "what tasks access is copied byte by byte");
        return access{ mode, address, count * sizeof(T) };
}

template <class Range> access access_of(lbrun_mode mode, const Range &range)
{
        return access_of(mode, std::data(range), std::size(range));
}

template <class... Where> access in(const Where &...where)
{
        return access_of(LBRUN_IN, where...);
}
template <class... Where> access out(const Where &...where)
{
        return access_of(LBRUN_OUT, where...);
}
template <class... Where> access inout(const Where &...where)
{
        return access_of(LBRUN_INOUT, where...);
}
template <class... Where> access commutative(const Where &...where)
{
        return access_of(LBRUN_COMMUTATIVE, where...);
}

// Of the task's children, not its own: weak(in(x))
inline access weak(access of)
{
        of.mode = static_cast<lbrun_mode>(of.mode | LBRUN_WEAK);
        return of;
}

// ---- Reductions: of double, float, std::int32_t, std::int64_t ----

namespace detail
{
template <class T> constexpr int kind_of()
{
        using type = std::remove_cv_t<T>;
        constexpr bool whole = std::is_integral_v<type> && std::is_signed_v<type>;
        static_assert(std::is_same_v<type, double> || std::is_same_v<type, float> ||
                          (whole && (sizeof(type) == 4 || sizeof(type) == 8)),
                      "sums, minima and maxima are of double, float, int32_t and int64_t");
        if constexpr (whole)
                return sizeof(type) == 4 ? 2 : 3;
        else
                return std::is_same_v<type, double> ? 0 : 1;
}

template <class T> access reduce(lbrun_mode first, const T *address, std::size_t count)
{
        return access_of(static_cast<lbrun_mode>(first + (kind_of<T>() << 5)), address, count);
}
template <class Range> access reduce(lbrun_mode first, const Range &range)
{
        return reduce(first, std::data(range), std::size(range));
}
} // namespace detail

template <class... Where> access sum(const Where &...where)
{
        return detail::reduce(LBRUN_SUM_DOUBLE, where...);
}
template <class... Where> access min(const Where &...where)
{
        return detail::reduce(LBRUN_MIN_DOUBLE, where...);
}
template <class... Where> access max(const Where &...where)
{
        return detail::reduce(LBRUN_MAX_DOUBLE, where...);
}

// In a task: its own value of what is at `address`.
template <class T> T *own(T *address)
{
        return static_cast<T *>(lbrun_private(address));
}

// ---- Tasks ----

namespace detail
{
// What is called in the task's process: the same function there, and a copy of the callable.
template <class Callable, class... Arguments> void call(Arguments... arguments, void *callable)
{
        try {
                (*static_cast<Callable *>(callable))(arguments...);
        } catch (const std::exception &exception) {
                lbrun_fail(exception.what());
        } catch (...) {
                lbrun_fail("an exception that is no std::exception");
        }
}

template <class Callable> constexpr std::size_t check()
{
        static_assert(std::is_trivially_copyable_v<Callable>,
                      "a task's callable is copied to other processes: capture numbers, pointers into "
                      "cluster memory and lbrun::span, by value");
        static_assert(!std::is_pointer_v<Callable>,
                      "a function is at another address in each process: call it from a lambda");
        static_assert(sizeof(Callable) <= LBRUN_ARGUMENT_MAX, "the callable captures too much");
        static_assert(alignof(Callable) <= alignof(std::max_align_t),
                      "the callable's alignment is more than that of any type");
        return std::is_empty_v<Callable> ? 0 : sizeof(Callable);
}
} // namespace detail

using options = lbrun_options;

// A task of its options, a callable without arguments, and accesses.
template <class Callable> void task(const options &options, Callable callable,
                                    std::initializer_list<access> accesses)
{
        lbrun_task(detail::call<Callable>, &callable, detail::check<Callable>(),
                   static_cast<int>(accesses.size()), accesses.begin(), &options);
}
template <class Callable, class... Access,
          class = std::enable_if_t<(std::is_same_v<Access, access> && ...)>>
void task(const options &options, Callable callable, const Access &...accesses)
{
        task(options, callable, { accesses... });
}
template <class Callable, class... Access,
          class = std::enable_if_t<!std::is_same_v<std::decay_t<Callable>, options> &&
                                   (std::is_same_v<Access, access> && ...)>>
void task(Callable callable, const Access &...accesses)
{
        task(options{}, callable, { accesses... });
}

// A loop as tasks: callable(begin, end) for parts of it; grain 0: the runtime chooses.
using slice = lbrun_slice;

template <class Callable>
void taskloop(std::int64_t begin, std::int64_t end, Callable callable,
              std::initializer_list<slice> slices, std::int64_t grain = 0,
              const options &options = {})
{
        lbrun_range range = { begin, end, grain };
        lbrun_taskloop(detail::call<Callable, std::int64_t, std::int64_t>, &range, &callable,
                       detail::check<Callable>(), static_cast<int>(slices.size()), slices.begin(),
                       &options);
}

/* What it accesses does not change any more: constant(in(x)). */
inline void constant(const access &what)
{
        lbrun_constant(what.address, what.bytes);
}
inline void taskwait()
{
        lbrun_taskwait();
}
inline void taskwait_noflush()
{
        lbrun_taskwait_noflush();
}
template <class... Access> void taskwait_on(const access &first, const Access &...more)
{
        std::initializer_list<access> all = { first, more... };
        lbrun_taskwait_on(static_cast<int>(all.size()), all.begin());
}
inline void iteration()
{
        lbrun_iteration();
}

} // namespace lbrun

#endif
