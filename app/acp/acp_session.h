// One session of a client: a worker thread that owns a Session, its mailbox, and the prompts that wait for
// it. Public functions belong to the thread that reads the client's messages; what the session says may come
// on any thread.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/acp/acp_client.h"
#include "app/acp/acp_options.h"
#include "app/acp/acp_prompt.h"
#include "app/acp/acp_updates.h"
#include "app/session/session.h"

namespace tern {

class AcpSession : public std::enable_shared_from_this<AcpSession> {
 public:
  enum class Begin { fresh, load, resume };
  struct Opening {
    nlohmann::json request;  // is answered when the session is open, or why it is not
    Begin begin = Begin::fresh;
    SessionSetup setup;
    std::function<void(const std::string& id, std::weak_ptr<AcpSession>)>
        on_open;                              // on the worker, before the answer
    std::shared_ptr<AcpSession> before = {};  // of the same id: ends first
  };
  AcpSession(AcpClient& client, Opening opening);
  ~AcpSession();  // ends what runs, and waits for it

  void start();  // once
  void prompt(nlohmann::json request, AcpPrompt prompt);
  void cancel();                                      // the prompt that runs and those that wait
  bool cancel_prompt(const nlohmann::json& request);  // false: none of ours
  bool set(std::string_view option, std::string_view value);
  nlohmann::json config() const;
  // Ends it: what runs is cancelled, the log is settled; then the request is answered, where there is one.
  void close(nlohmann::json request = nullptr);
  bool ended() const { return ended_; }
  std::filesystem::path cwd() const { return opening_.setup.cwd; }

  static constexpr std::size_t most_waiting = 32;  // prompts

 private:
  struct Waiting {
    nlohmann::json request;
    Command command;
    std::string title;  // its first line
  };
  void work();
  bool run_session(bool first);
  void introduce(Session& session);
  void reopened();
  bool opened_well(Session& session);
  void refuse(int code, const std::string& why);
  void interrupt();
  void hear(Event event);
  void look_at(const Event& event);
  void look_at_meters(const Meters& meters);
  void answer_later(std::uint64_t question, nlohmann::json params);
  void next();                 // mutex held
  void begin(Waiting prompt);  // mutex held
  void done(const Command& command);
  void finish_prompt();  // mutex held
  void ask_for_trust();  // mutex held
  void trust_answered(const nlohmann::json* answer);
  void tell_title();  // mutex held
  // What the editor shows of a file; called by tools, on their threads.
  std::optional<std::string> open_buffer(const std::filesystem::path& file, const std::stop_token& stop);
  void send(const nlohmann::json& update);

  AcpClient& client_;
  Opening opening_;
  Mailbox<Command> commands_;
  mutable std::mutex mutex_;  // of all below, up to session_mutex_
  std::string id_, title_;
  std::unique_ptr<AcpUpdates> updates_;
  AcpOptions options_;
  std::vector<BroughtCommand> brought_;
  std::vector<nlohmann::json> unsent_;  // before the client knows the session
  bool announced_ = false, replaying_ = false, usage_due_ = false, answering_ = false, cancelled_ = false,
       closing_ = false;
  std::deque<Waiting> waiting_;
  std::optional<Waiting> running_;
  enum class Asker { prompt, setting };
  std::deque<Asker> asked_;  // of the questions on their way: who waits for their end
  std::optional<TurnEnded> end_;
  Meters meters_;
  std::vector<std::int64_t> questions_;  // of ours, open at the client
  std::string claims_;                   // what the folder brings, while it is not trusted
  bool trust_due_ = false, trust_asked_ = false, reopen_ = false;
  nlohmann::json close_request_;
  std::mutex session_mutex_;
  Session* session_ = nullptr;  // while there is one to interrupt
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace tern
