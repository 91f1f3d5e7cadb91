#include "compression/plan/next_action.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

Plan plan_of(Tier tier, bool edits, bool asks) {
  Plan plan;
  plan.tier = tier;
  if (edits) plan.edits.emplace_back();
  if (asks) plan.ask.emplace();
  return plan;
}

CompactorFacts facts_at(double share, const Plan* plan = nullptr) {
  CompactorFacts facts;
  facts.share = share;
  facts.plan = plan;
  return facts;
}

}  // namespace

TEST_CASE("what a person took back stays until the context is fuller") {
  CompactorState state;
  state.hold_until = 0.85;
  CHECK(next(state, facts_at(0.84)) == Action::nothing);
  CHECK(next(state, facts_at(0.85)) == Action::end_hold);
  auto refused = facts_at(0.5);
  refused.overflow = true;
  CHECK(next(state, refused) == Action::make_plan);  // the provider takes no more, whoever wished what
}

TEST_CASE("a draft that is being written may take its time while there is room") {
  auto seen = facts_at(0.85);
  seen.full = true, seen.draft = DraftStage::writing, seen.draft_stands = true;
  CHECK(next({}, seen) == Action::nothing);
  seen.share = 0.93;  // past its patience, before the truncate mark
  CHECK(next({}, seen) == Action::take_draft);
  seen.share = 0.85, seen.draft_stands = false;
  CHECK(next({}, seen) == Action::take_draft);  // which finds out that it is no good any more
  seen.draft_gave_nothing = true;
  CHECK(next({}, seen) == Action::make_plan);
  seen.draft_gave_nothing = false, seen.full = false;
  CHECK(next({}, seen) == Action::make_plan);  // not due yet
}

TEST_CASE("a draft that is written is taken when it is due") {
  auto seen = facts_at(0.81);
  seen.full = true, seen.draft = DraftStage::written, seen.draft_stands = true;
  CHECK(next({}, seen) == Action::take_draft);
  seen.overflow = true;  // then it has been tried before
  CHECK(next({}, seen) == Action::make_plan);
}

TEST_CASE("microcompact leaves a warm cache and a paid draft alone") {
  const auto plan = plan_of(Tier::micro, true, false);
  auto seen = facts_at(0.65, &plan);
  seen.pays_later = true;
  CHECK(next({}, seen) == Action::nothing);
  seen.pays_later = false, seen.draft_survives_plan = false;
  CHECK(next({}, seen) == Action::nothing);
  seen.draft_survives_plan = true;
  CHECK(next({}, seen) == Action::steer);
  seen.steered = true;
  CHECK(next({}, seen) == Action::cut);
}

TEST_CASE("a summary is asked for at once only where nothing gentler is open") {
  const auto plan = plan_of(Tier::compact, false, true);
  auto seen = facts_at(0.82, &plan);
  CHECK(next({}, seen) == Action::steer);
  seen.steered = true;
  CHECK(next({}, seen) == Action::try_fresh_window);
  seen.fresh_window_no = true;
  CHECK(next({}, seen) == Action::start_draft);
  seen.no_new_draft = true;
  CHECK(next({}, seen) == Action::summarise);
  seen.no_new_draft = false, seen.share = 0.9;  // too full to go on while it is written
  CHECK(next({}, seen) == Action::summarise);
}

TEST_CASE("a plan that does nothing ends the look, a refilling context too") {
  const Plan none;
  CHECK(next({}, facts_at(0.7, &none)) == Action::nothing);
  const auto empty = plan_of(Tier::compact, false, false);
  CHECK(next({}, facts_at(0.9, &empty)) == Action::nothing);
  auto thrash = plan_of(Tier::compact, true, false);
  thrash.thrash = true;
  CHECK(next({}, facts_at(0.9, &thrash)) == Action::give_up);
  const auto hard = plan_of(Tier::truncate, true, false);
  auto seen = facts_at(0.96, &hard);
  seen.steered = true;
  CHECK(next({}, seen) == Action::truncate);
}

TEST_CASE("compactions that follow each other closely are counted") {
  CompactorState state;
  state.count_compaction();
  CHECK(state.refills == 0);
  state.requests_since = 2;
  state.count_compaction();
  CHECK(state.refills == 1);
  state.requests_since = 3;
  state.count_compaction();
  CHECK(state.refills == 0);
}
