#include "tools/exec/jobs.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "tools/exec/command_limits.h"

namespace tern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kKeepEnded = 50;

struct Job {
  JobInfo info;
  Process process;
  OutputRing output;
  std::uint64_t read = 0;
  Clock::time_point started, finished;
  bool open = true, leaving = false;

  void drain() {
    if (open) open = process.drain([this](std::string_view bytes) { output.append(bytes); });
  }
};

std::string how_of(const ProcessEnd& end, StoppedBy by) {
  if (by == StoppedBy::model) return "stopped by the model";
  if (by == StoppedBy::user) return "stopped by the user";
  if (end.signal != 0) return "killed by signal " + std::to_string(end.signal);
  return "exit " + std::to_string(end.status) + (end.error.empty() ? "" : " (" + end.error + ")");
}

JobInfo snapshot(const Job& job) {
  JobInfo info = job.info;
  info.bytes = job.output.bytes();
  info.lines = job.output.lines();
  info.spill = job.output.spill();
  info.age =
      std::chrono::duration_cast<milliseconds>((info.running ? Clock::now() : job.finished) - job.started);
  return info;
}

}  // namespace

struct Jobs::State {
  explicit State(Jobs& jobs_of) : owner(jobs_of) {}

  Jobs& owner;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::shared_ptr<Job>> jobs;
  std::thread reader;
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool reading = false;
  std::map<std::string, int> count;  // by prefix

  ~State() { ::close(wake); }
  std::shared_ptr<Job> find(const std::string& id) const {
    const auto found =
        std::find_if(jobs.begin(), jobs.end(), [&](const auto& job) { return job->info.id == id; });
    return found == jobs.end() ? nullptr : *found;
  }
  int running(bool leaving) const {
    return static_cast<int>(std::count_if(jobs.begin(), jobs.end(), [&](const auto& job) {
      return job->info.running && job->leaving == leaving;
    }));
  }
  void ring() const {
    const std::uint64_t one = 1;
    if (::write(wake, &one, sizeof one) < 0) return;
  }
  void tell(Job& job, StoppedBy by) {
    if (job.info.by == StoppedBy::nobody) job.info.by = by;
    job.process.stop(stop_grace);
    ring();
  }
  std::string add(std::shared_ptr<Job> job, const char* prefix);
  void serve();
  std::vector<JobInfo> take_in();
  void forget_oldest();
};

// Drains every running job and settles those that ended. Lock held.
std::vector<JobInfo> Jobs::State::take_in() {
  std::vector<JobInfo> ended;
  bool settled = false;
  for (const auto& job : jobs) {
    if (!job->info.running) continue;
    const std::optional<ProcessEnd> end = job->process.ended();
    for (std::uint64_t before = ~0ull; job->open && before != job->output.bytes();) {
      before = job->output.bytes();
      job->drain();
      if (!end) break;
    }
    if (!end) continue;
    job->info.running = false;
    job->info.exit_status = end->status;
    job->info.how = how_of(*end, job->info.by);
    job->finished = Clock::now();
    job->info.ended_ns =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    job->process = Process();
    if (!job->leaving) ended.push_back(snapshot(*job));
    settled = true;
  }
  if (settled) changed.notify_all();
  return ended;
}

void Jobs::State::serve() {
  for (;;) {
    std::vector<pollfd> fds{{wake, POLLIN, 0}};
    bool settling = false;  // a supervisor has said everything and is about to be reaped
    {
      const std::lock_guard lock(mutex);
      for (const auto& job : jobs) {
        if (!job->info.running) continue;
        fds.push_back({job->process.status_fd(), POLLIN, 0});
        settling = settling || fds.back().fd < 0;
        if (job->open) fds.push_back({job->process.output_fd(), POLLIN, 0});
      }
      if (fds.size() == 1) {
        reading = false;
        return;
      }
    }
    ::poll(fds.data(), fds.size(), settling ? 20 : -1);
    std::uint64_t rung = 0;
    while (::read(wake, &rung, sizeof rung) > 0) {}
    std::vector<JobInfo> ended;
    {
      const std::lock_guard lock(mutex);
      ended = take_in();
    }
    for (const JobInfo& info : ended)
      if (owner.on_end) owner.on_end(info);
  }
}

std::string Jobs::State::add(std::shared_ptr<Job> job, const char* prefix) {
  const std::lock_guard lock(mutex);
  const std::string id = job->info.id = prefix + std::to_string(++count[prefix]);
  jobs.push_back(std::move(job));
  forget_oldest();
  if (!reading) {
    if (reader.joinable()) reader.join();  // it has let go of the lock for good
    reading = true;
    reader = std::thread([this] { serve(); });
  }
  ring();
  return id;
}

void Jobs::State::forget_oldest() {
  while (jobs.size() > kKeepEnded) {
    const auto oldest =
        std::find_if(jobs.begin(), jobs.end(), [](const auto& job) { return !job->info.running; });
    if (oldest == jobs.end()) return;
    jobs.erase(oldest);
  }
}

Jobs::Jobs() : state_(std::make_unique<State>(*this)) {}

Jobs::~Jobs() { close(); }

void Jobs::close() {
  stop_all(StoppedBy::user);
  if (state_->reader.joinable()) state_->reader.join();
}

std::string Jobs::adopt(Process process, OutputRing output, std::string command, std::string description,
                        Clock::time_point started) {
  auto job = std::make_shared<Job>();
  job->info.command = std::move(command);
  job->info.description = std::move(description);
  job->info.how = "running";
  job->process = std::move(process);
  job->output = std::move(output);
  job->started = started;
  return state_->add(std::move(job), "bash_");
}

std::string Jobs::leave(Process process, std::string command) {
  auto job = std::make_shared<Job>();
  job->info.command = std::move(command);
  job->info.how = "interrupted";
  job->process = std::move(process);
  job->started = Clock::now();
  job->leaving = true;
  return state_->add(std::move(job), "left_");
}

void Jobs::wait_for_leaving(std::stop_token stop) {
  std::unique_lock lock(state_->mutex);
  const auto deadline = Clock::now() + stop_grace + milliseconds(1600);
  while (state_->running(true) > 0 && !stop.stop_requested() && Clock::now() < deadline)
    state_->changed.wait_for(lock, milliseconds(20));
}

std::vector<JobInfo> Jobs::list() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<JobInfo> infos;
  for (auto job = state_->jobs.rbegin(); job != state_->jobs.rend(); ++job)
    if (!(*job)->leaving) infos.push_back(snapshot(**job));
  std::stable_partition(infos.begin(), infos.end(), [](const JobInfo& info) { return info.running; });
  return infos;
}

std::optional<JobInfo> Jobs::find(const std::string& id) const {
  const std::lock_guard lock(state_->mutex);
  const auto job = state_->find(id);
  if (job == nullptr) return std::nullopt;
  return snapshot(*job);
}

int Jobs::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running(false);
}

std::optional<std::string> Jobs::read_new(const std::string& id) {
  const std::lock_guard lock(state_->mutex);
  const auto job = state_->find(id);
  if (job == nullptr) return std::nullopt;
  if (job->info.running) job->drain();
  const std::uint64_t until = job->info.running ? job->output.complete() : job->output.bytes();
  std::string text = job->output.since(job->read, until);
  job->read = std::max(job->read, until);
  return text;
}

std::optional<std::string> Jobs::output(const std::string& id) {
  const std::lock_guard lock(state_->mutex);
  const auto job = state_->find(id);
  if (job == nullptr) return std::nullopt;
  if (job->info.running) job->drain();
  return job->output.since(0);
}

bool Jobs::stop(const std::string& id, StoppedBy by) {
  std::unique_lock lock(state_->mutex);
  const auto job = state_->find(id);
  if (job == nullptr) return false;
  if (!job->info.running) return true;
  state_->tell(*job, by);
  const auto gone = [&] { return !job->info.running; };
  if (state_->changed.wait_for(lock, stop_grace + milliseconds(1600), gone)) return true;
  job->process.kill_supervisor();
  state_->ring();
  state_->changed.wait_for(lock, milliseconds(800), gone);
  return true;
}

void Jobs::stop_all(StoppedBy by) {
  std::unique_lock lock(state_->mutex);
  for (const auto& job : state_->jobs)
    if (job->info.running) state_->tell(*job, by);
  const auto none = [&] { return state_->running(false) + state_->running(true) == 0; };
  if (state_->changed.wait_for(lock, stop_grace + milliseconds(1600), none)) return;
  for (const auto& job : state_->jobs)
    if (job->info.running) job->process.kill_supervisor();
  state_->ring();
  state_->changed.wait_for(lock, milliseconds(800), none);
}

std::stop_token Jobs::move_token() {
  std::lock_guard lock(move_mutex_);
  move_ = std::stop_source();
  return move_.get_token();
}

void Jobs::request_move() {
  std::lock_guard lock(move_mutex_);
  move_.request_stop();
}

}  // namespace tern
