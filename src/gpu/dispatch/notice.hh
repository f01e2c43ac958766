#pragma once

#include "core/kernel/port.hh"
#include "gpu/dispatch/application.hh"

namespace memsim::gpu {

/// When a dispatcher begins or ends a launch at the earliest (core/kernel/notice.hh): when the
/// answer of an application's host arrives, and when the report of its last block does.
class LaunchNotice {
  public:
    void add_host(PortBase& host) { answers_.push_back(host.incoming().front()); }
    void add_sm(PortBase& sm) { reports_.push_back(sm.incoming().front()); }
    /// The least latency of answers and reports.
    Time least() const;
    Tick quiet_until(const std::vector<Application>& applications, Tick next) const;

  private:
    std::vector<const LinkBase*> answers_; ///< of each application's host
    std::vector<const LinkBase*> reports_; ///< of each SM
};

} // namespace memsim::gpu
