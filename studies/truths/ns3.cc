// Plays programs on TCP connections of ns-3: reads batches from the input, answers with times. See src/lines.rs and src/player.rs.
// usage: ns3 CLUSTER   (a file of lines: KEY VALUE…; `hosts COUNT RANKS LEAF RATE LATENCY SLOWDOWN` once for each group of hosts)
//
// Hosts have a port to the switch of their leaf; leaves have a port to a core switch. Ports of switches have finite buffers and drop what
// does not fit; hosts speak TCP. Above it is a message-passing library as those on TCP are: one connection between two ranks, messages up
// to the eager limit are sent at once and copied, larger ones after a request and its answer; a rank handles messages while it waits, one
// after the other, and each costs it an overhead. Ranks of one host copy through its memory, which they share.
#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include "operations.h"

using namespace ns3;

namespace {

const long HEADER = 64; // bytes of the header of a message

struct Host {
  int ranks, leaf;
  double rate, latency, slowdown; // bits per second, seconds
  double memory_free = 0;
};

// The parameters of a cluster, by key; seconds, bytes and bits per second.
struct Cluster {
  std::map<std::string, double> value{
      {"send", 2e-6}, {"send-byte", 1e-10}, {"receive", 2.5e-6}, {"receive-byte", 1.5e-10}, {"jitter", 0.03}, {"combine-byte", 4e-10},
      {"eager", 65536}, {"buffer", 1 << 20}, {"uplink", 1e9}, {"uplink-latency", 2e-6}, {"window", 1 << 20}, {"mtu", 1500}, {"rto", 0.2},
      {"delayed-ack", 0.04}, {"loss", 0}, {"memory", 6e9}, {"memory-latency", 4e-7}, {"seed", 1}};
  std::string tcp = "TcpCubic";
  std::vector<Host> hosts;

  explicit Cluster(const char *path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key;
      if (!(words >> key) || key[0] == '#') continue;
      if (key == "hosts") {
        int count;
        Host host;
        if (!(words >> count >> host.ranks >> host.leaf >> host.rate >> host.latency >> host.slowdown)) unreadable("hosts");
        hosts.insert(hosts.end(), count, host);
      } else if (key == "tcp") {
        words >> tcp;
      } else if (!(words >> value[key])) {
        unreadable(key.c_str());
      }
    }
    if (hosts.empty()) unreadable(path);
  }

  double operator[](const char *key) const { return value.at(key); }
};

enum class Part { EAGER, REQUEST, ANSWER, DATA };

// A message, or a part of the protocol of a large one; `sent` and `received` are the requests at both ends.
struct Request;
struct Message {
  Part part;
  int from, tag;
  long size;
  std::shared_ptr<Request> sent, received;
  long bytes() const { return HEADER + (part == Part::EAGER || part == Part::DATA ? size : 0); }
};

struct Request {
  int peer, tag;
  long size;
  bool done = false;
};

class World;

// One direction of a connection between two ranks.
struct Stream {
  Ptr<Socket> socket; // the end that sends
  std::deque<std::pair<Message, long>> unwritten;
  std::deque<Message> underway;
  long arrived = 0;
};

// A rank: its program, the requests that wait for messages, and messages that wait for requests.
struct Process {
  const program *code = nullptr;
  int next = 0;
  bool is_busy = false, is_waiting = false;
  std::shared_ptr<Request> awaited;
  std::map<int, std::shared_ptr<Request>> requests;
  std::deque<std::shared_ptr<Request>> posted;
  std::deque<Message> inbox, unexpected;
  double begin = 0, end = 0, starts[TIMERS] = {}, sums[TIMERS] = {};
};

double now() { return Simulator::Now().GetSeconds(); }

class World {
public:
  explicit World(Cluster given) : cluster(std::move(given)), random(static_cast<unsigned>(cluster["seed"])) {
    for (size_t h = 0; h < cluster.hosts.size(); h++)
      for (int r = 0; r < cluster.hosts[h].ranks; r++) host_of.push_back(h);
    processes.resize(host_of.size());
    build_network();
    connect_ranks();
  }

  void play(const batch &batch) {
    running = batch.ranks;
    processor_of.clear();
    rank_of.assign(host_of.size(), -1);
    for (int r = 0; r < batch.ranks; r++) {
      int processor = batch.programs[r].processor;
      processor_of.push_back(processor);
      rank_of[processor] = r;
      processes[processor] = Process();
      processes[processor].code = &batch.programs[r];
      Simulator::Schedule(Seconds(1e-3), [this, processor] {
        processes[processor].begin = now();
        step(processor);
      });
    }
    Simulator::Run();
    if (running > 0) {
      std::cerr << "player: the ranks wait for each other\n";
      exit(1);
    }
    for (int processor : processor_of) print_times(processes[processor].begin, processes[processor].end, processes[processor].sums);
    std::cout.flush();
    drain();
  }

private:
  Cluster cluster;
  std::mt19937_64 random;
  std::vector<int> host_of;
  std::vector<Process> processes;
  NodeContainer nodes;
  std::vector<Ipv4Address> addresses;
  std::map<std::pair<int, int>, Stream> streams;
  std::vector<int> processor_of, rank_of;
  int running = 0;

  void build_network() {
    int leaves = 0;
    for (const Host &host : cluster.hosts) leaves = std::max(leaves, host.leaf + 1);
    nodes.Create(cluster.hosts.size() + leaves + 1);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper network("10.0.0.0", "255.255.255.252");
    auto link = [&](int a, int b, double rate, double latency, bool is_host) {
      PointToPointHelper helper;
      helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
      helper.SetDeviceAttribute("Mtu", UintegerValue(static_cast<unsigned>(cluster["mtu"])));
      helper.SetChannelAttribute("Delay", TimeValue(Seconds(latency)));
      NetDeviceContainer devices = helper.Install(nodes.Get(a), nodes.Get(b));
      for (unsigned end = 0; end < 2; end++) {
        bool is_switch = end == 1 || !is_host;
        Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, is_switch ? static_cast<unsigned>(cluster["buffer"]) : 1u << 30));
        DynamicCast<PointToPointNetDevice>(devices.Get(end))->SetQueue(queue);
        if (cluster["loss"] > 0 && is_host) {
          Ptr<RateErrorModel> errors = CreateObject<RateErrorModel>();
          errors->SetAttribute("ErrorUnit", EnumValue(RateErrorModel::ERROR_UNIT_PACKET));
          errors->SetAttribute("ErrorRate", DoubleValue(cluster["loss"]));
          DynamicCast<PointToPointNetDevice>(devices.Get(end))->SetReceiveErrorModel(errors);
        }
      }
      Ipv4InterfaceContainer interfaces = network.Assign(devices);
      TrafficControlHelper().Uninstall(devices); // the buffers of devices only
      network.NewNetwork();
      return interfaces.GetAddress(0);
    };
    int hosts = cluster.hosts.size(), core = hosts + leaves;
    for (int h = 0; h < hosts; h++)
      addresses.push_back(link(h, hosts + cluster.hosts[h].leaf, cluster.hosts[h].rate, cluster.hosts[h].latency, true));
    if (leaves > 1)
      for (int leaf = 0; leaf < leaves; leaf++) link(hosts + leaf, core, cluster["uplink"], cluster["uplink-latency"], false);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  }

  void connect_ranks() {
    int ranks = host_of.size();
    for (int i = 0; i < ranks; i++)
      for (int j = i + 1; j < ranks; j++) {
        if (host_of[i] == host_of[j]) continue;
        uint16_t port = 10000 + i * ranks + j;
        Ptr<Socket> listener = Socket::CreateSocket(nodes.Get(host_of[j]), TcpSocketFactory::GetTypeId());
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                    Callback<void, Ptr<Socket>, const Address &>(
                                        [this, i, j](Ptr<Socket> socket, const Address &) { own(j, i, socket); }));
        Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(host_of[i]), TcpSocketFactory::GetTypeId());
        own(i, j, socket);
        Simulator::Schedule(MilliSeconds(1 + (i * ranks + j) % 97), [=] {
          socket->Connect(InetSocketAddress(addresses[host_of[j]], port));
        });
      }
    Simulator::Stop(Seconds(2));
    Simulator::Run();
  }

  // The end of the connection to `peer` that rank `me` owns.
  void own(int me, int peer, Ptr<Socket> socket) {
    streams[{me, peer}].socket = socket;
    socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>([this, me, peer](Ptr<Socket>, uint32_t) { write_on(me, peer); }));
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>([this, me, peer](Ptr<Socket> end) {
      Stream &stream = streams[{peer, me}];
      while (Ptr<Packet> packet = end->Recv()) {
        if (packet->GetSize() == 0) break;
        stream.arrived += packet->GetSize();
      }
      while (!stream.underway.empty() && stream.arrived >= stream.underway.front().bytes()) {
        Message message = stream.underway.front();
        stream.underway.pop_front();
        stream.arrived -= message.bytes();
        arrive(me, message);
      }
    }));
  }

  // Runs until all sent bytes are acknowledged, so that the next batch finds an idle network.
  void drain() {
    bool is_idle = false;
    while (!is_idle) {
      Simulator::Stop(MilliSeconds(2));
      Simulator::Run();
      is_idle = true;
      for (int i : processor_of)
        for (int j : processor_of) {
          auto found = streams.find({i, j});
          if (found != streams.end() && found->second.socket->GetTxAvailable() < cluster["window"]) is_idle = false;
        }
    }
  }

  // Occupies a rank for a time, which differs from the given one by some jitter, then goes on.
  template <typename Then> void spend(int me, double seconds, Then then) {
    double z = std::normal_distribution<double>()(random);
    double slowdown = cluster.hosts[host_of[me]].slowdown;
    Simulator::Schedule(Seconds(seconds * slowdown * std::exp(cluster["jitter"] * z)), then);
  }

  double overhead(const char *key, long size) const {
    return cluster[key] + cluster[(std::string(key) + "-byte").c_str()] * std::min<double>(size, 65536);
  }

  // Hands a message to the connection to another rank, or to the memory of the host.
  void write(int me, int peer, const Message &message) {
    if (host_of[me] == host_of[peer]) {
      Host &host = cluster.hosts[host_of[me]];
      double end = std::max(now(), host.memory_free) + message.bytes() * host.slowdown / cluster["memory"];
      host.memory_free = end;
      Simulator::Schedule(Seconds(end - now()), [=] { written(me, message); });
      Simulator::Schedule(Seconds(end - now() + cluster["memory-latency"]), [=] { arrive(peer, message); });
      return;
    }
    Stream &stream = streams[{me, peer}];
    stream.unwritten.emplace_back(message, message.bytes());
    stream.underway.push_back(message);
    write_on(me, peer);
  }

  // Writes what the buffer of a connection holds.
  void write_on(int me, int peer) {
    Stream &stream = streams[{me, peer}];
    while (!stream.unwritten.empty()) {
      auto &[message, rest] = stream.unwritten.front();
      long size = std::min<long>(rest, stream.socket->GetTxAvailable());
      if (size <= 0) return;
      int sent = stream.socket->Send(Create<Packet>(static_cast<uint32_t>(size)));
      if (sent <= 0) return;
      rest -= sent;
      if (rest > 0) continue;
      Message whole = message;
      stream.unwritten.pop_front();
      written(me, whole);
    }
  }

  // The last byte of a message is out of the hands of its sender.
  void written(int me, const Message &message) {
    if (message.part != Part::DATA) return;
    message.sent->done = true;
    progress(me);
  }

  void arrive(int me, const Message &message) {
    processes[me].inbox.push_back(message);
    progress(me);
  }

  // A rank that waits continues if its request is done, else it handles the next message.
  void progress(int me) {
    Process &process = processes[me];
    if (!process.is_waiting || process.is_busy) return;
    if (process.awaited->done) {
      process.is_waiting = false;
      process.is_busy = true;
      Simulator::ScheduleNow([this, me] {
        processes[me].is_busy = false;
        step(me);
      });
      return;
    }
    if (process.inbox.empty()) return;
    Message message = process.inbox.front();
    process.inbox.pop_front();
    process.is_busy = true;
    bool has_data = message.part == Part::EAGER || message.part == Part::DATA;
    spend(me, has_data ? overhead("receive", message.size) : cluster["receive"] / 2, [=] {
      handle(me, message);
      processes[me].is_busy = false;
      progress(me);
    });
  }

  void handle(int me, Message message) {
    Process &process = processes[me];
    switch (message.part) {
      case Part::ANSWER: write(me, message.from, {Part::DATA, me, message.tag, message.size, message.sent, message.received}); break;
      case Part::DATA: message.received->done = true; break;
      case Part::EAGER:
      case Part::REQUEST:
        for (auto posted = process.posted.begin(); posted != process.posted.end(); ++posted)
          if (matches(**posted, message)) {
            std::shared_ptr<Request> request = *posted;
            process.posted.erase(posted);
            accept(me, request, message);
            return;
          }
        process.unexpected.push_back(message);
    }
  }

  static bool matches(const Request &request, const Message &message) {
    return (request.peer < 0 || request.peer == message.from) && request.tag == message.tag;
  }

  // A receive has found its message: an eager one is there, a large one is requested.
  void accept(int me, const std::shared_ptr<Request> &request, Message message) {
    if (message.part == Part::EAGER) {
      request->done = true;
    } else {
      int sender = message.from;
      write(me, sender, {Part::ANSWER, me, message.tag, message.size, message.sent, request});
    }
  }

  std::shared_ptr<Request> post_receive(int me, const operation &one) {
    Process &process = processes[me];
    int peer = one.peer < 0 ? -1 : processor_of[one.peer];
    auto request = std::make_shared<Request>(Request{peer, one.tag, one.size});
    for (auto message = process.unexpected.begin(); message != process.unexpected.end(); ++message)
      if (matches(*request, *message)) {
        Message found = *message;
        process.unexpected.erase(message);
        accept(me, request, found);
        return request;
      }
    process.posted.push_back(request);
    return request;
  }

  std::shared_ptr<Request> post_send(int me, const operation &one) {
    int peer = processor_of[one.peer];
    auto request = std::make_shared<Request>(Request{peer, one.tag, one.size});
    bool is_eager = one.size < cluster["eager"];
    request->done = is_eager;
    write(me, peer, {is_eager ? Part::EAGER : Part::REQUEST, me, one.tag, one.size, request, nullptr});
    return request;
  }

  void wait(int me, std::shared_ptr<Request> request) {
    processes[me].awaited = std::move(request);
    processes[me].is_waiting = true;
    progress(me);
  }

  // Executes the next operation of a rank.
  void step(int me) {
    Process &process = processes[me];
    if (process.next == process.code->count) {
      if (!process.requests.empty()) {
        auto request = process.requests.begin()->second;
        process.requests.erase(process.requests.begin());
        wait(me, request);
        return;
      }
      process.end = now();
      if (--running == 0) Simulator::Stop();
      return;
    }
    const operation &one = process.code->operations[process.next++];
    auto go_on = [this, me] { step(me); };
    switch (one.kind) {
      case SEND: spend(me, overhead("send", one.size), [this, me, &one] { wait(me, post_send(me, one)); }); break;
      case POST_SEND:
        spend(me, overhead("send", one.size), [this, me, &one] {
          processes[me].requests[one.request] = post_send(me, one);
          step(me);
        });
        break;
      case RECEIVE: spend(me, 1e-7, [this, me, &one] { wait(me, post_receive(me, one)); }); break;
      case POST_RECEIVE:
        spend(me, 1e-7, [this, me, &one] {
          processes[me].requests[one.request] = post_receive(me, one);
          step(me);
        });
        break;
      case WAIT: {
        auto request = process.requests[one.request];
        process.requests.erase(one.request);
        wait(me, request);
        break;
      }
      case TEST: spend(me, 1e-7, go_on); break;
      case SPIN: Simulator::Schedule(Seconds(one.seconds), go_on); break;
      case COMBINE: spend(me, one.size * cluster["combine-byte"], go_on); break;
      case START:
        process.starts[one.request] = now();
        Simulator::ScheduleNow(go_on);
        break;
      case STOP:
        process.sums[one.request] += now() - process.starts[one.request];
        Simulator::ScheduleNow(go_on);
        break;
    }
  }
};

void configure_tcp(const Cluster &cluster) {
  unsigned window = cluster["window"], mtu = cluster["mtu"];
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + cluster.tcp)));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mtu - 40));
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
  Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(cluster["delayed-ack"])));
  // With time stamps ns-3 takes the age of an idle connection for a round trip, and timeouts grow to minutes.
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(cluster["rto"])));
  Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(Seconds(std::min(1e-3, cluster["rto"] / 10))));
  RngSeedManager::SetSeed(static_cast<unsigned>(cluster["seed"]));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: ns3 CLUSTER\n";
    return 2;
  }
  Cluster cluster(argv[1]);
  configure_tcp(cluster);
  World world(cluster);
  batch batch = {};
  while (read_batch(&batch)) world.play(batch);
  return 0;
}
