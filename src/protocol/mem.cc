#include "protocol/mem.hh"

namespace memsim {

template std::string shape<protocol::MemRequest>();
template std::string shape<protocol::MemResponse>();
template void Saver::operator()(const protocol::MemRequest&);
template void Saver::operator()(const protocol::MemResponse&);
template void Loader::operator()(protocol::MemRequest&);
template void Loader::operator()(protocol::MemResponse&);
template void Shower::operator()(const protocol::MemRequest&);
template void Shower::operator()(const protocol::MemResponse&);
template class Link<protocol::MemRequest>;
template class Link<protocol::MemResponse>;
template class Requester<protocol::Mem>;
template class Responder<protocol::Mem>;

} // namespace memsim
