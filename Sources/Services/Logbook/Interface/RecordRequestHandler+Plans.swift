import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Plans
import Timeline
import Uploads
import WebServer

/// Training plans and the adherence to them.
extension RecordRequestHandler {
    /// The past days, and the number of next workouts, on an athlete's page.
    private static let recentDays: Int64 = 28
    private static let nextWorkouts = 3

    private var now: Int64 {
        let present = room.currentTime
        return present.clock.unixMilliseconds(at: present.now)
    }

    /// The current day in the club's time zone.
    private var today: CalendarDay { history.calendar.day(of: now) }

    // MARK: Reading

    func plans(_ policy: RecordAccessPolicy, in store: any LogbookStore) throws -> WebAnswer {
        let now = now
        let plans = try PlanRepository.all(in: store).compactMap { plan, changedAt in
            try policy.visiblePart(of: plan, at: now, in: history.calendar)
                .map { (plan: $0, changedAt: changedAt) }
        }
        return Self.json { json in
            json.list("plans", of: plans) { json, entry in
                entry.plan.writeHead(into: &json)
                json.field("workouts", entry.plan.workouts.count)
                json.field("changed_ms", entry.changedAt)
                let isRead = IntervalsPlan.isID(entry.plan.id)
                json.field("source", isRead ? UploadDestination.intervalsICU.rawValue : nil)
            }
        }
    }

    func plan(
        _ id: String, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        Self.answerWithPlan(try visiblePlan(id, policy, in: store))
    }

    private static func answerWithPlan(_ entry: PlanRepository.Entry) -> WebAnswer {
        json { json in
            entry.plan.write(into: &json)
            json.field("changed_ms", entry.changedAt)
        }
    }

    func planFile(
        _ id: String, as format: PlanFormat, _ policy: RecordAccessPolicy,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        let (plan, changedAt) = try visiblePlan(id, policy, in: store)
        let place = "attachment; filename=\"\(id).\(format.rawValue)\""
        return .content(
            type: format.contentType, format.bytes(of: plan, stamp: changedAt),
            headers: [(name: "Content-Disposition", value: place)])
    }

    /// - Parameter requested: one athlete of the group; nil for all.
    func adherence(
        to id: String, of requested: String?, _ policy: RecordAccessPolicy,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        let today = today
        let (plan, _) = try visiblePlan(id, policy, in: store)
        let athlete = try policy.athlete(requested: requested).map { try store.merges.current(of: $0) }
        if let athlete, !plan.group.athletes.contains(athlete) {
            throw InterfaceFault(
                404, "unknown_athlete", "\(athlete) is not in the group of the plan \(id)")
        }
        let adherences = try (athlete.map { [$0] } ?? plan.group.athletes).map { slug in
            (slug, try pieceMetrics(of: slug, in: store).adherence(to: plan, today: today))
        }
        return Self.json { json in
            json.object("plan", plan.writeHead)
            json.field("today", today.text)
            json.list("athletes", of: adherences) { json, element in
                json.field("athlete_id", element.0)
                element.1.write(into: &json)
            }
        }
    }

    /// Returns each plan of an athlete with the next workouts and the adherence of the last 28 days.
    func plans(
        of id: String, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        let athlete = try store.merges.current(of: id)
        let (now, today) = (now, today)
        let first = TrainingSpan(.day, of: today.advanced(by: -Self.recentDays))
        let recent = first...TrainingSpan(.day, of: today)
        let plans = try PlanRepository.all(in: store).map(\.plan)
            .filter { $0.group.athletes.contains(athlete) }
            .compactMap { try policy.visiblePart(of: $0, at: now, in: history.calendar) }
        let pieces = plans.isEmpty ? [] : try pieceMetrics(of: athlete, in: store)
        return Self.json { json in
            json.field("today", today.text)
            json.list("plans", of: plans) { json, plan in
                let adherence = pieces.adherence(to: plan, today: today)
                json.field("id", plan.id)
                json.field("title", plan.title)
                let upcoming = adherence.days.flatMap(\.items).filter { $0.verdict == .upcoming }
                json.list("next", of: upcoming.prefix(Self.nextWorkouts)) { json, item in
                    item.planned.write(into: &json)
                }
                json.object("recent") { json in
                    json.field("from", recent.lowerBound.text)
                    json.field("to", recent.upperBound.text)
                    adherence.writeCounts(on: recent, into: &json)
                }
            }
        }
    }

    private func pieceMetrics(
        of athlete: String, in store: any LogbookStore
    ) throws -> [PieceMetrics] {
        try history.pieces(of: athlete, in: store, machine: room.machine(at:_:)).pieces.map(
            \.metrics)
    }

    func visiblePlan(
        _ id: String, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> PlanRepository.Entry {
        if let found = try PlanRepository.plan(id, in: store),
            let plan = try policy.visiblePart(of: found.plan, at: now, in: history.calendar)
        {
            return (plan, found.changedAt)
        }
        throw Self.unknownPlan(id)
    }

    static func unknownPlan(_ id: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_plan",
            "unknown plan \"\(id.prefix(40))\"; /api/v1/plans lists all plans")
    }

    // MARK: Changing

    /// Stores or removes a plan.
    func changePlan(
        _ endpoint: Endpoint, _ id: String, _ body: [UInt8]
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        guard Slug.isValid(id) else {
            throw InterfaceFault(
                400, "bad_value",
                "the plan's id is \"\(id.prefix(40))\"; it must be 1 to 32 of a-z, 0-9 and -")
        }
        if endpoint != .setPlan {
            return writer.answer { store in
                guard try store.removePlan(id) else { throw Self.unknownPlan(id) }
                return .json(Array("{}".utf8))
            }
        }
        guard !IntervalsPlan.isID(id) else {
            throw InterfaceFault(
                400, "bad_value",
                "the plan \(id) is read from intervals.icu; change it there, or use another id")
        }
        let update: PlanUpdate
        do throws(CommandFault) {
            update = try PlanUpdate(body, id: id, in: history.calendar) {
                try? TimeZoneDatabase.system.calendar(named: $0)
            }
        } catch {
            throw InterfaceFault(error)
        }
        return writer.answer { store in
            let now = now
            let current = try PlanRepository.plan(id, in: store)
            guard !update.isOutdated(current) else {
                throw InterfaceFault(
                    409, "plan_changed", "the plan \(id) has changed since changed_ms; read it again")
            }
            let plan: TrainingPlan
            do throws(PlanFault) { plan = try update.plan(id, replacing: current?.plan) } catch {
                throw InterfaceFault(400, "bad_value", "\(error)")
            }
            if update.isDryRun { return Self.answerWithPlan((plan, current?.changedAt ?? 0)) }
            do { try PlanRepository.save(plan, at: now, in: store) } catch let full
                as PlanRepository.TooManyPlans
            {
                throw InterfaceFault(409, "too_many_plans", "\(full)")
            }
            return try self.plan(id, .everything, in: store)
        }
    }
}

extension PlanFormat {
    fileprivate var contentType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .ics: "text/calendar; charset=utf-8"
        }
    }
}
