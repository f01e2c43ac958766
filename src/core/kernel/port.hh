#pragma once

#include "core/declare/param.hh"
#include "core/kernel/link.hh"

#include <memory>
#include <string>
#include <vector>

/// Ports and the links between them. A message is a trivially copyable struct of at most 64 bytes.
/// Its size on the wire is `largest_wire_bytes`, or `wire_bytes() const` if sizes differ. A sender
/// asks before it sends: `if (out.can_send()) out.send(m);` If the port cannot send, its owner is
/// woken when it can.
///
/// A message family is a request and its response:
///
///     #include "core/kernel/port.hh"
///
///     struct ReadPage {
///         static constexpr std::uint32_t largest_wire_bytes = 8;
///         std::uint32_t tag = 0, page = 0;
///     };
///     struct PageDone {
///         static constexpr std::uint32_t largest_wire_bytes = 4;
///         std::uint32_t tag = 0;
///     };
///     struct Pages : memsim::MessageFamily<ReadPage, PageDone> {};
///
/// Every request has a response, except those whose `bool needs_response() const` is false.
namespace memsim {

template <class Q, class R>
struct MessageFamily {
    using Request = Q;
    using Response = R;
};

template <class M>
bool response_needed(const M& m) {
    if constexpr (requires { m.needs_response(); })
        return m.needs_response();
    else
        return true;
}

class Component;

/// An interface that the component at the other end of a port must offer. It is checked when the
/// port is bound. `needs<I>` names the class I.
struct NeededInterface {
    bool (*offered_by)(const Component&) = nullptr;
    std::string (*name)() = nullptr;
};

/// The properties of a port. The depth comes from a parameter; latency and rate apply to the link
/// that leaves the port.
struct PortSpec {
    Setting<unsigned>::Getter depth =
        nullptr;                      ///< messages waiting or in flight at a receiving side
    Setting<Time> latency = Time {1}; ///< of the link that leaves; at least 1 fs
    Setting<Rate> rate = Rate {0};    ///< of the link that leaves; 0: unlimited
    /// The clock of an owner that acts only at clock edges. Such an owner sees messages, and is
    /// woken for sending, at the next edge. 0: at any time.
    Setting<Frequency> clock = Frequency {0};
    /// Of a receiving side: whether requests may be hints (see Requester::offer()).
    bool hints = false;
    NeededInterface needs {};
};

/// What is common to all ports, for binding and reports.
class PortBase {
  public:
    PortBase(PortSpec spec, const char* doc) : spec_(spec), doc_(doc) {}
    PortBase(const PortBase&) = delete;
    PortBase& operator=(const PortBase&) = delete;
    virtual ~PortBase() = default;

    /// 'out', 'in', 'requester' or 'responder'; the counterpart is what it may be bound to.
    virtual std::string_view role() const = 0;
    virtual std::string_view counterpart() const = 0;
    virtual std::string family() const = 0;
    /// Of its messages, as core/state/archive.hh writes it.
    virtual std::string message_shape() const = 0;
    virtual bool has_depth() const = 0;
    /// Makes the connection; the other port is of the counterpart's role and of the same family.
    virtual void connect(PortBase& other, Simulation& sim) = 0;
    /// The links that this port receives from.
    virtual std::vector<LinkBase*> incoming() = 0;
    /// The links that it sends into.
    virtual std::vector<LinkBase*> outgoing() = 0;
    /// After a link was divided or joined again: uses its sending side, or the whole link.
    virtual void use_sending_sides() {}
    /// Whether its messages always name records of Contents, also in a machine without contents.
    virtual bool names_records() const { return false; }
    /// Whether its owner calls the neighbour directly during a run (find_interface()).
    bool calls_neighbour() const { return calls_neighbour_; }
    virtual void archive_own(Saver&) {}
    virtual void archive_own(Loader&) {}
    /// Whether the requests that arrive at this port may have contents.
    virtual bool takes_contents() const { return false; }
    /// Expected responses: must be 0 when a run ends with no event pending.
    virtual std::uint32_t outstanding() const { return 0; }

    void attach(Component& owner, std::string name, const void* params) {
        owner_ = &owner, name_ = std::move(name);
        depth_ = spec_.depth ? spec_.depth(params) : 0;
        latency_ = spec_.latency.value(params);
        rate_ = spec_.rate.value(params);
        clock_ = spec_.clock.value(params);
    }
    const char* doc() const { return doc_; }
    const PortSpec& spec() const { return spec_; }
    Component& owner() const { return *owner_; }
    const std::string& name() const { return name_; }
    PortBase* peer() const { return peer_; }
    void set_peer(PortBase& p) { peer_ = &p; }

    // What a component may use of its neighbour, the component at the other end of a bound port.
    const std::string& neighbour_path() const; ///< for messages
    bool same_neighbour(const PortBase& other) const {
        return &peer()->owner() == &other.peer()->owner();
    }
    /// The neighbour's interface I, or nullptr if it offers none. An interface whose answers do not
    /// change during a run declares `static constexpr bool constant = true;`. Both ends of a port
    /// with any other interface run in one partition (core/parallel/partition.hh).
    template <class I>
    I* find_interface() const;
    /// The neighbour's interface I, which `PortSpec::needs` names.
    template <class I>
    I& interface() const;

    unsigned depth() const { return depth_; }
    Time latency() const { return latency_; }
    Rate rate() const { return rate_; }
    Frequency clock() const { return clock_; }

  private:
    PortSpec spec_;
    const char* doc_;
    Component* owner_ = nullptr;
    PortBase* peer_ = nullptr;
    std::string name_;
    Time latency_;
    Rate rate_;
    Frequency clock_;
    mutable bool calls_neighbour_ = false;
    unsigned depth_ = 0; ///< last: beside what a Requester counts
};

template <class M>
class Out;

template <class M>
constexpr bool always_names_records() {
    return requires { requires M::names_records; };
}

/// Receives messages of one family, in the order they were sent.
template <class M>
class In final : public PortBase {
  public:
    using Message = M;
    In(PortSpec spec, const char* doc);
    ~In() override;
    bool empty() const { return link_.empty(); }
    const M& front() const { return link_.front(); }
    M pop() { return link_.pop(); }

    std::string_view role() const override { return "in"; }
    std::string_view counterpart() const override { return "out"; }
    std::string family() const override { return reflect::type_name<M>(); }
    std::string message_shape() const override { return shape<M>(); }
    bool has_depth() const override { return true; }
    void connect(PortBase& other, Simulation& sim) override { other.connect(*this, sim); }
    std::vector<LinkBase*> incoming() override { return {&link_}; }
    std::vector<LinkBase*> outgoing() override { return {}; }
    bool names_records() const override { return always_names_records<M>(); }

  private:
    friend class Out<M>;
    Link<M> link_;
};

/// A message that may be dropped declares `static constexpr bool is_hint = true;`.
template <class M>
concept IsHint = requires {
    requires M::is_hint;
};

/// Sends messages of one family.
template <class M>
class Out final : public PortBase {
  public:
    using Message = M;
    Out(PortSpec spec, const char* doc);
    ~Out() override;
    bool can_send() const { return link_->can_send(); }
    void send(const M& m) {
        MEMSIM_ASSERT(link_->can_send(), "send() without can_send()");
        link_->send(m);
    }
    /// Sends a hint, or drops it if it cannot be sent now. False if dropped; the caller counts it.
    bool offer(const M& m) requires IsHint<M> {
        const bool sent = link_->can_send();
        if (sent) link_->send(m);
        return sent;
    }

    std::string_view role() const override { return "out"; }
    std::string_view counterpart() const override { return "in"; }
    std::string family() const override { return reflect::type_name<M>(); }
    std::string message_shape() const override { return shape<M>(); }
    bool has_depth() const override { return false; }
    void connect(PortBase& other, Simulation& sim) override {
        auto& in = static_cast<In<M>&>(other);
        link_ = &in.link_;
        link_->attach(sim, owner(), in.owner());
        link_->set_wire(latency(), rate());
        link_->set_clocks(clock(), in.clock());
        link_->set_depth(in.depth());
        set_peer(in), in.set_peer(*this);
    }
    std::vector<LinkBase*> incoming() override { return {}; }
    std::vector<LinkBase*> outgoing() override { return {link_}; }
    void use_sending_sides() override { link_ = link_->whole()->sending_side(); }
    bool names_records() const override { return always_names_records<M>(); }

  private:
    Link<M>* link_ = nullptr;
};

template <class P>
class Responder;

/// The requesting side of a connection with requests and responses. P is the message family. A
/// place for the response is reserved before a request is sent, so responses never wait for
/// requests.
template <class P>
class Requester final : public PortBase {
  public:
    using Request = typename P::Request;
    using Response = typename P::Response;
    Requester(PortSpec spec, const char* doc);
    ~Requester() override;

    bool can_send() const { return reserved_ < depth() && requests_->can_send(); }
    /// Whether all places for responses are reserved. Removing a response frees one.
    bool waits_for_answers() const { return reserved_ >= depth(); }
    void send(const Request& r) {
        MEMSIM_ASSERT(can_send(), "send() without can_send()");
        if (response_needed(r)) ++reserved_;
        requests_->send(r);
    }
    /// Sends a request as if `delay` later (see Link). Requires a wire of unlimited rate.
    void send_ahead(const Request& r, Time delay) {
        MEMSIM_ASSERT(can_send() && rate().raw == 0, "send_ahead() without can_send(), or a rate");
        if (response_needed(r)) ++reserved_;
        requests_->send_ahead(r, delay);
    }
    /// Sends a hint, a request without a response such as a prefetch or a speculative read. Drops
    /// it if it cannot be sent now or if the other side does not accept hints. False if dropped;
    /// the caller counts it.
    bool offer(const Request& r) requires requires(const Request h) { h.is_hint(); }
    {
        MEMSIM_ASSERT(r.is_hint() && !response_needed(r), "only a hint may be dropped");
        if (!takes_hints() || !can_send()) return false;
        requests_->send(r);
        return true;
    }
    bool takes_hints() const { return peer()->spec().hints; }
    bool empty() const { return responses_.empty(); }
    const Response& front() const { return responses_.front(); }
    Response pop() {
        --reserved_;
        return responses_.pop();
    }
    std::uint32_t outstanding() const override { return reserved_; }

    std::string_view role() const override { return "requester"; }
    std::string_view counterpart() const override { return "responder"; }
    std::string family() const override { return reflect::type_name<P>(); }
    std::string message_shape() const override { return shape<Request>() + shape<Response>(); }
    bool has_depth() const override { return true; }
    void connect(PortBase& other, Simulation& sim) override {
        auto& responder = static_cast<Responder<P>&>(other);
        requests_ = &responder.requests_;
        responder.responses_ = &responses_;
        requests_->attach(sim, owner(), responder.owner());
        requests_->set_wire(latency(), rate());
        requests_->set_clocks(clock(), responder.clock());
        requests_->set_depth(responder.depth());
        responses_.attach(sim, responder.owner(), owner());
        responses_.set_wire(responder.latency(), responder.rate());
        responses_.set_clocks(responder.clock(), clock());
        responses_.set_depth(~0u); // reserved_ limits the responses
        set_peer(responder), responder.set_peer(*this);
    }
    std::vector<LinkBase*> incoming() override { return {&responses_}; }
    std::vector<LinkBase*> outgoing() override { return {requests_}; }
    void use_sending_sides() override { requests_ = requests_->whole()->sending_side(); }
    void archive_own(Saver& s) override { s(reserved_); }
    void archive_own(Loader& l) override {
        l(reserved_);
        l.check(reserved_ <= depth(), "expects more answers than it has room for");
    }

  private:
    friend class Responder<P>;
    std::uint32_t reserved_ = 0;
    Link<Request>* requests_ = nullptr;
    Link<Response> responses_;
};

/// The responding side of a connection with requests and responses.
template <class P>
class Responder final : public PortBase {
  public:
    using Request = typename P::Request;
    using Response = typename P::Response;
    Responder(PortSpec spec, const char* doc);
    ~Responder() override;

    bool empty() const { return requests_.empty(); }
    const Request& front() const { return requests_.front(); }
    Request pop() { return requests_.pop(); }
    bool can_send() const { return responses_->can_send(); }
    void send(const Response& r) {
        MEMSIM_ASSERT(can_send(), "send() without can_send()");
        responses_->send(r);
    }
    /// Sends a response as if `delay` later (see Link). Requires a wire of unlimited rate.
    void send_ahead(const Response& r, Time delay) {
        MEMSIM_ASSERT(can_send() && rate().raw == 0, "send_ahead() without can_send(), or a rate");
        responses_->send_ahead(r, delay);
    }

    bool takes_contents() const override {
        return requires(Request r) { r.contents; };
    }
    std::string_view role() const override { return "responder"; }
    std::string_view counterpart() const override { return "requester"; }
    std::string family() const override { return reflect::type_name<P>(); }
    std::string message_shape() const override { return shape<Request>() + shape<Response>(); }
    bool has_depth() const override { return true; }
    void connect(PortBase& other, Simulation& sim) override { other.connect(*this, sim); }
    std::vector<LinkBase*> incoming() override { return {&requests_}; }
    std::vector<LinkBase*> outgoing() override { return {responses_}; }
    void use_sending_sides() override { responses_ = responses_->whole()->sending_side(); }

  private:
    friend class Requester<P>;
    Link<Response>* responses_ = nullptr;
    Link<Request> requests_;
};

// Outside of the classes, so that the ports of common families are compiled once.
template <class M>
In<M>::In(PortSpec spec, const char* doc) : PortBase(spec, doc) {}
template <class M>
In<M>::~In() = default;
template <class M>
Out<M>::Out(PortSpec spec, const char* doc) : PortBase(spec, doc) {}
template <class M>
Out<M>::~Out() = default;
template <class P>
Requester<P>::Requester(PortSpec spec, const char* doc) : PortBase(spec, doc) {}
template <class P>
Requester<P>::~Requester() = default;
template <class P>
Responder<P>::Responder(PortSpec spec, const char* doc) : PortBase(spec, doc) {}
template <class P>
Responder<P>::~Responder() = default;

/// A vector of ports, for the framework, which does not know their type.
class ManyBase {
  public:
    ManyBase(Setting<unsigned>::Getter count, PortSpec spec, const char* doc)
        : spec_(spec), doc_(doc), size_of_(count) {}
    ManyBase(const ManyBase&) = delete;
    ManyBase& operator=(const ManyBase&) = delete;
    virtual ~ManyBase() = default;

    bool grows() const { return !size_of_; }
    void resize(const void* params) {
        clear();
        if (size_of_) grow(size_of_(params));
    }
    virtual void grow(std::size_t size) = 0;
    virtual void clear() = 0;
    virtual unsigned count() const = 0;
    virtual PortBase& at(unsigned i) = 0;
    /// A port that is never bound, from which the framework reads the properties of all.
    virtual const PortBase& prototype() const = 0;

  protected:
    const PortSpec spec_;
    const char* const doc_;

  private:
    Setting<unsigned>::Getter size_of_;
};

/// A vector of ports. A parameter may give their number, `Many<Responder<Mem>> sm_side
/// {from<&Params::inputs>, {.depth = ...}, "..."}`; without it there are as many ports as bindings.
template <class P>
class Many final : public ManyBase {
  public:
    using Port = P;
    Many(Setting<unsigned>::Getter count, PortSpec spec, const char* doc)
        : ManyBase(count, spec, doc), prototype_(spec, doc) {}
    Many(PortSpec spec, const char* doc) : Many(nullptr, spec, doc) {}

    void grow(std::size_t size) override {
        while (ports_.size() < size) ports_.push_back(std::make_unique<P>(spec_, doc_));
    }
    void clear() override { ports_.clear(); }
    unsigned count() const override { return size(); }
    PortBase& at(unsigned i) override { return *ports_[i]; }
    const PortBase& prototype() const override { return prototype_; }

    unsigned size() const { return static_cast<unsigned>(ports_.size()); }
    P& operator[](std::size_t i) { return *ports_[i]; }
    const P& operator[](std::size_t i) const { return *ports_[i]; }

  private:
    P prototype_;
    std::vector<std::unique_ptr<P>> ports_;
};

/// A port that need not be bound: `Optional<Requester<BlockIo>> drive_side {{.depth = ...},
/// "..."}`; `if (port.drive_side && port.drive_side->can_send())`.
template <class P>
class Optional {
  public:
    using Port = P;
    Optional(PortSpec spec, const char* doc) : port_(spec, doc) {}
    explicit operator bool() const { return port_.peer(); }
    P& operator*() { return port_; }
    const P& operator*() const { return port_; }
    P* operator->() { return &port_; }
    const P* operator->() const { return &port_; }

  private:
    P port_;
};

/// One field of a struct of ports.
struct PortField {
    std::string_view name;
    PortBase* one = nullptr;  ///< null for Many
    ManyBase* many = nullptr; ///< null for a single port
    bool optional = false;

    PortField(std::string_view n, PortBase& p) : name(n), one(&p) {}
    PortField(std::string_view n, ManyBase& p) : name(n), many(&p) {}
    template <class P>
    PortField(std::string_view n, Optional<P>& p) : name(n), one(&*p), optional(true) {}
};

/// The fields of a struct of ports.
template <class Ports>
std::vector<PortField> ports_of(Ports& ports) {
    std::vector<PortField> all;
    reflect::for_each_leaf(ports,
                           [&](std::string_view name, auto& p) { all.emplace_back(name, p); });
    return all;
}

namespace detail {
template <auto M, auto... In>
unsigned bound_ports(const void* ports) {
    using Ports = typename ParamMember<std::remove_cv_t<decltype(M)>>::Params;
    const auto& member = static_cast<const Ports*>(ports)->*M;
    if constexpr (sizeof...(In) == 0)
        return member.size();
    else
        return bound_ports<In...>(&member);
}
} // namespace detail

/// Gives an `Each` one statistic for each port of a vector: `Each<Counter> requests
/// {bound<&Ports::mem_side>, Unit::count, "..."}`.
template <auto M, auto... In>
inline constexpr PortCount bound {&detail::bound_ports<M, In...>};

} // namespace memsim
