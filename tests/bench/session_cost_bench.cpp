// What whole sessions cost with the shipped tiers: session_cost_bench FOLDER [key=value...] (or
// TERN_SESSIONS=FOLDER), a folder of
// *.jsonl as tests/bench/quality takes them. Each session is replayed request by request in a window of half
// of itself: before each the plan of the shipped defaults runs (tiers 2 to 4, without a model, with the wait
// on a warm cache), and a provider with a prompt cache is paid: the common prefix is read, the rest written,
// and a real pause that is longer than the cache's life empties it. That life is chosen as the program does,
// by the pauses so far, one session after the other; hour=0 leaves it at five minutes, hour=1 at an hour.
// What it is compared with has five minutes and no compaction. Keys: microLowWater, compactTarget, microAt,
// compactAt; trigger=T runs the line engine at T of the window down to low instead of the tiers;
// snip=0 lets results enter as they are; coldCache=0 leaves a cold cache's prompt as it is. Results are
// snipped when they enter, and where a read was edited next and the cut took lines of the edit, one more
// request and a read of these lines are paid. At the end what each tier kept and saved, over all sessions,
// beside what the founding documents say of it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "agent/compactor/cold_cache.h"
#include "agent/models/cost.h"
#include "compression/plan/plan.h"
#include "compression/reading/condense.h"
#include "compression/reading/loss_audit.h"
#include "compression/reading/snip.h"
#include "compression/text/utf8.h"
#include "compression/values/blocks.h"
#include "compression/values/stats.h"
#include "compression/values/tokens.h"
#include "tests/support/edited_reads.h"
#include "tests/support/recorded_session.h"

namespace {

using namespace tern;

constexpr Tokens fixed = 12'000;
constexpr double window_share = 0.5, output_price = 15.0, read_price = 0.30, write_price = 3.75,
                 input_price = 3.0;
constexpr std::chrono::seconds short_life{300}, long_life{3'600};

using Keys = std::map<std::string, double>;

double value(const Keys& keys, const char* name, double usual) {
  return keys.count(name) ? keys.at(name) : usual;
}

// The part in which the agent saw everything: up to the first recorded compaction.
test::RecordedSession session_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream lines;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("{\"type\": \"compaction\"", 0) == 0) break;
    lines << line << '\n';
  }
  return test::recorded_session(lines);
}

struct Did {  // one tier, over all its cuts
  double before = 0, after = 0;
  std::size_t names = 0, names_kept = 0, sentences = 0, sentences_kept = 0, times = 0;

  void add(const Conversation& whole, const Conversation& rest) {
    const auto loss = audit(whole, rest);
    ++times;
    before += static_cast<double>(count(whole)), after += static_cast<double>(count(rest));
    names += loss.kept + loss.reachable + loss.dropped, names_kept += loss.kept;
    sentences += loss.answers.kept + loss.answers.reachable + loss.answers.dropped;
    sentences_kept += loss.answers.kept;
  }
};
using Tiers = std::map<Tier, Did>;

void print_tiers(const Tiers& tiers) {
  struct Founding {
    Tier tier;
    int kept, saved;
  };
  static constexpr Founding founding[] = {
      {Tier::snip, 95, 30}, {Tier::micro, 85, 60}, {Tier::compact, 70, 80}, {Tier::truncate, 40, 95}};
  const auto share = [](double part, double all) { return all > 0 ? 100 * part / all : 100; };
  for (const auto& [tier, kept, saved] : founding) {
    const auto at = tiers.find(tier);
    if (at == tiers.end()) continue;
    const Did& did = at->second;
    std::printf(
        "%s, %zu times: kept of names and numbers, of sentences answered; saved\t%.0f %.0f; "
        "%.0f\t%%\tfounding %d; %d\n",
        std::string(to_string(tier)).c_str(), did.times,
        share(static_cast<double>(did.names_kept), static_cast<double>(did.names)),
        share(static_cast<double>(did.sentences_kept), static_cast<double>(did.sentences)),
        share(did.before - did.after, did.before), kept, saved);
  }
}

struct Bill {
  double dollars = 0, items = 0;  // items: tokens of the context, summed over the requests
  std::size_t requests = 0, cold = 0, micro = 0, deep = 0, hard = 0;
  std::size_t again = 0;  // requests that a cut read has cost
};

struct Reads {  // over 10,000 characters, edited next
  std::size_t reads = 0, whole = 0, lines = 0, shown = 0;
};

std::set<std::string> ranged_calls(const Conversation& conversation) {
  std::set<std::string> ids;
  for (const auto& item : conversation.items) {
    for (const auto* call : blocks_of<ToolCall>(*item)) {
      if (test::asks_for_lines(*call)) ids.insert(call->id);
    }
  }
  return ids;
}

// As each enters a large, empty window.
void count_reads(const Conversation& conversation, Reads& reads) {
  const auto edited = test::edited_reads(conversation);
  const auto ranged = ranged_calls(conversation);
  for (const auto& item : conversation.items) {
    for (const auto* result : blocks_of<ToolResult>(*item)) {
      const auto edit = edited.find(result->call_id);
      if (edit == edited.end() || count_characters(result->text) <= 10'000) continue;
      const auto form = snip_form(*result, {}, {.share = 0, .ranged = ranged.count(result->call_id) > 0});
      const auto shown = edit->second.shown_in(snip_text(result->text, form, result->recall));
      ++reads.reads;
      reads.whole += shown == edit->second.lines.size();
      reads.lines += edit->second.lines.size();
      reads.shown += shown;
    }
  }
}

class Player {
 public:
  Player(const test::RecordedSession& session, const Keys& keys, bool managed, CachePauses& pauses,
         Tiers* tiers = nullptr)
      : session_(session), keys_(keys), managed_(managed), pauses_(pauses), tiers_(tiers) {
    model_.provider = "anthropic";
    model_.priced = true;
    model_.input = input_price, model_.output = output_price;
    model_.cache_read = read_price, model_.cache_write = write_price;
    const auto estimated = std::max<Tokens>(1, count(session.conversation));
    factor_ = static_cast<double>(session.tokens) / static_cast<double>(estimated);
    budget_.window = static_cast<Tokens>(window_share * static_cast<double>(session.tokens)) + fixed;
    budget_.reserve = 0;
    budget_.fixed = static_cast<Tokens>(static_cast<double>(fixed) / factor_);
    budget_.calibration = factor_;
    auto& config = budget_.config;
    config.strategy = "local";
    config.micro_low_water = value(keys, "microLowWater", config.micro_low_water);
    config.compact_target = value(keys, "compactTarget", config.compact_target);
    config.micro_at = value(keys, "microAt", config.micro_at);
    config.compact_at = value(keys, "compactAt", config.compact_at);
    next_ = ItemId{1'000'000};
    if (managed && value(keys, "snip", 1) > 0) {
      ranged_ = ranged_calls(session.conversation);
      edited_ = test::edited_reads(session.conversation);
      snips_ = true;
    }
  }

  Bill run() {
    for (const auto& item : session_.conversation.items) {
      if (item->role == Role::assistant && !context_.items.empty()) request(*item);
      enter(item);
    }
    return bill_;
  }

 private:
  void enter(const ItemPtr& item) {
    if (!snips_ || !has<ToolResult>(*item)) return context_.items.push_back(item);
    Item entered = *item;
    const double share = usage(context_, budget_).share;
    for (auto& block : entered.blocks) {
      auto* result = std::get_if<ToolResult>(&block);
      if (!result) continue;
      Item alone{.role = Role::user, .blocks = {std::move(block)}};
      alone = snip(std::move(alone), budget_, {.share = share, .ranged = ranged_.count(result->call_id) > 0});
      block = std::move(alone.blocks.front());
    }
    context_.items.push_back(make_item(std::move(entered)));
    const bool cut = context_.items.back()->tokens < item->tokens;
    if (cut && tiers_) (*tiers_)[Tier::snip].add({{item}}, {{context_.items.back()}});
    for (const auto* result : blocks_of<ToolResult>(*item)) read_again(*result);
  }

  // The lines of the edit that a cut took, with as many around them.
  void read_again(const ToolResult& whole) {
    const auto edit = edited_.find(whole.call_id);
    if (edit == edited_.end()) return;
    for (const auto* entered : blocks_of<ToolResult>(*context_.items.back())) {
      if (entered->call_id != whole.call_id ||
          edit->second.shown_in(entered->text) == edit->second.lines.size())
        continue;
      const std::string id = whole.call_id + "-again";
      const auto call = make_item(
          {.id = {next_.value++},
           .role = Role::assistant,
           .blocks = {ToolCall{id,
                               whole.tool,
                               "{\"file_path\":\"" + whole.subject + "\",\"offset\":400,\"limit\":80}",
                               {}}}});
      std::string lines;
      for (const auto& line : edit->second.lines) lines += line + "\n" + line + "\n";
      request(*call);
      context_.items.push_back(call);
      context_.items.push_back(
          make_item({.id = {next_.value++},
                     .role = Role::user,
                     .blocks = {ToolResult{
                         .call_id = id, .tool = whole.tool, .text = lines, .subject = whole.subject}}}));
      ++bill_.again;
      return;
    }
  }

  void request(const Item& answer) {
    const bool timed = answer.when != TimePoint{} && last_ != TimePoint{};
    pause_ = timed ? std::chrono::duration_cast<std::chrono::seconds>(answer.when - last_)
                   : std::chrono::seconds(0);
    cold_ = sent_.empty() || pause_ > (hour_ ? long_life : short_life);
    if (cold_) hour_ = managed_ && (keys_.count("hour") ? keys_.at("hour") > 0 : pauses_.hour_pays());
    if (managed_) make_room();
    pay(answer);
    sent_ = context_.items;
    if (answer.when != TimePoint{}) last_ = answer.when;
  }

  void make_room() {
    const double share = usage(context_, budget_).share;
    if (keys_.count("trigger")) {
      if (share < keys_.at("trigger")) return;
      const auto goal = static_cast<Tokens>(
          keys_.at("low") * static_cast<double>(uncalibrated(budget_.window, budget_) - budget_.fixed));
      return take(condense(context_, budget_, {.target = goal}), bill_.deep);
    }
    if (cold_ && value(keys_, "coldCache", 1) > 0) meet_cold_cache();
    for (int step = 0; step < 6; ++step) {
      const Plan due = plan(context_, budget_, {.cache_cold = cold_});
      if (due.edits.empty() || (due.tier == Tier::micro && !cold_ && waits(due.edits))) return;
      take(due.edits, due.tier == Tier::micro     ? bill_.micro
                      : due.tier == Tier::compact ? bill_.deep
                                                  : bill_.hard);
    }
  }

  // As Compactor::meet_cold_cache: results that would be cut soon, where that saves a fifth of the request.
  void meet_cold_cache() {
    const auto used = static_cast<double>(usage(context_, budget_).used);
    const double write = hour_ ? model_.long_write() : write_price;
    if (used * write / 1e6 < worth_a_word) return;
    auto budget = budget_;
    budget.config.micro_at = std::min(budget.config.micro_at, usage(context_, budget_).share * 0.99);
    const Plan due = plan(context_, budget, {.cache_cold = true});
    if (due.tier != Tier::micro || due.edits.empty()) return;
    const auto after = static_cast<double>(usage(tern::apply(context_, due.edits), budget_).used);
    if (after <= used * (1 - cold_saving)) take(due.edits, bill_.cold);
  }

  // As Compactor::waits.
  bool waits(const Edits& edits) const {
    const CacheState cache{.last_request = TimePoint(std::chrono::hours(1)), .seen = true, .hour = hour_};
    const auto cost = cut_cost(saved(edits), cache_cost(context_, edits, true).rewritten, cache,
                               cache.last_request, model_);
    return better_later(cost, usage(context_, budget_).share, budget_.config);
  }

  void take(Edits edits, std::size_t& counter) {
    if (edits.empty()) return;
    give_ids(edits, next_);
    const auto after = tern::apply(context_, edits);
    if (count(after) >= count(context_)) return;
    if (tiers_) (*tiers_)[edits.front().why.tier].add(context_, after);
    context_ = after;
    ++counter;
  }

  void pay(const Item& answer) {
    std::size_t same = 0;
    const auto& now = context_.items;
    while (!cold_ && same < now.size() && same < sent_.size() && now[same] == sent_[same]) ++same;
    double read = cold_ ? 0 : fixed, all = fixed;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double tokens = factor_ * static_cast<double>(now[i]->tokens);
      all += tokens;
      if (i < same) read += tokens;
    }
    const double out = factor_ * static_cast<double>(answer.tokens);
    const double write = hour_ ? model_.long_write() : write_price;
    bill_.dollars += (read * read_price + (all - read) * write + out * output_price) / 1e6;
    if (!sent_.empty())
      pauses_.saw(pause_, static_cast<Tokens>(sent_tokens_),
                  static_cast<Tokens>(all - std::min(all, sent_tokens_)), model_);
    sent_tokens_ = all;
    bill_.items += all - fixed;
    ++bill_.requests;
  }

  const test::RecordedSession& session_;
  const Keys& keys_;
  bool managed_, snips_ = false;
  CachePauses& pauses_;
  Tiers* tiers_;
  bool hour_ = false;
  std::chrono::seconds pause_{0};
  double sent_tokens_ = 0;
  std::set<std::string> ranged_;
  std::map<std::string, test::EditedRead> edited_;
  ModelInfo model_;
  Budget budget_;
  double factor_ = 1;
  Conversation context_;
  std::vector<ItemPtr> sent_;
  TimePoint last_{};
  bool cold_ = true;
  ItemId next_{};
  Bill bill_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : std::getenv("TERN_SESSIONS");
  if (!folder) {
    std::puts("no folder of recorded sessions: session_cost_bench FOLDER [key=value...], or TERN_SESSIONS");
    return 0;
  }
  Keys keys;
  for (int i = 2; i < argc; ++i) {
    const std::string pair = argv[i];
    const auto at = pair.find('=');
    if (at == pair.npos) return std::fprintf(stderr, "%s is no key=value\n", argv[i]), 2;
    keys[pair.substr(0, at)] = std::atof(pair.c_str() + at + 1);
  }
  double relative = 0, spent = 0, spent_without = 0, kept = 0, cold = 0, micro = 0, deep = 0, hard = 0,
         again = 0, sessions = 0;
  Reads reads;
  Tiers tiers;
  std::error_code error;
  std::set<std::filesystem::path> files;  // in an order, since pauses are learnt from one to the next
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".jsonl") files.insert(entry.path());
  CachePauses unused, pauses;
  for (const auto& file : files) {
    const auto session = session_of(file);
    const Bill all = Player(session, keys, false, unused).run(),
               ours = Player(session, keys, true, pauses, &tiers).run();
    if (all.dollars <= 0) continue;
    ++sessions;
    relative += ours.dollars / all.dollars;
    spent += ours.dollars;
    spent_without += all.dollars;
    kept += ours.items / all.items;
    again += static_cast<double>(ours.again);
    count_reads(session.conversation, reads);
    cold += static_cast<double>(ours.cold), micro += static_cast<double>(ours.micro);
    deep += static_cast<double>(ours.deep), hard += static_cast<double>(ours.hard);
  }
  if (sessions == 0) return std::fprintf(stderr, "no session in %s\n", folder), 1;
  std::printf("recorded sessions\t%.0f\t\t\n", sessions);
  std::printf("relative cost with the shipped tiers\t%.3f\t\t<= 0.58\n", relative / sessions);
  std::printf("dollars of all of them, and without compaction\t%.2f %.2f\t\t\n", spent, spent_without);
  std::printf("mean context, relative\t%.3f\t\t\n", kept / sessions);
  std::printf(
      "a session: cuts on a cold cache, microcompactions, compactions, truncations\t%.1f %.1f %.1f "
      "%.1f\t\t\n",
      cold / sessions, micro / sessions, deep / sessions, hard / sessions);
  std::printf("requests that a cut read has cost\t%.0f\t\t\n", again);
  std::printf("reads over 10,000 characters edited next: all lines there at once\t%zu of %zu\t\t\n",
              reads.whole, reads.reads);
  std::printf(
      "their edited lines in the context at once\t%.1f\t%%\t>= 95\n",
      100.0 * static_cast<double>(reads.shown) / static_cast<double>(std::max<std::size_t>(1, reads.lines)));
  print_tiers(tiers);
}
