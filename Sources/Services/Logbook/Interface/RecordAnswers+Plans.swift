import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Plans
import Timeline
import WebServer

/// Plans, and what became of them. Changes nothing of `RecordAnswers`; of the store the plans alone.
extension RecordAnswers {
    /// How far an athlete's page looks back, and how many workouts ahead.
    private static let recentDays: Int64 = 28
    private static let nextWorkouts = 3

    private var now: Int64 {
        let present = room.present
        return present.clock.unixMilliseconds(at: present.now)
    }

    /// The day of the club.
    private var today: CalendarDay { book.calendar.day(of: now) }

    // MARK: Reading

    static func plans(_ sight: Sight, in store: any LogbookStore) throws -> WebAnswer {
        let plans = try PlanShelf.all(in: store).compactMap { plan, changedAt in
            try sight.seen(plan).map { (plan: $0, changedAt: changedAt) }
        }
        return json { json in
            json.list("plans", of: plans) { json, shelved in
                shelved.plan.writeHead(into: &json)
                json.field("workouts", shelved.plan.workouts.count)
                json.field("changed_ms", shelved.changedAt)
            }
        }
    }

    static func plan(
        _ id: String, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let (plan, changedAt) = try shelved(id, sight, in: store)
        return json { json in
            plan.write(into: &json)
            json.field("changed_ms", changedAt)
        }
    }

    static func planFile(
        _ id: String, as format: PlanFormat, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let (plan, changedAt) = try shelved(id, sight, in: store)
        let place = "attachment; filename=\"\(id).\(format.rawValue)\""
        return .content(
            type: format.contentType, format.bytes(of: plan, stamp: changedAt),
            headers: [(name: "Content-Disposition", value: place)])
    }

    /// - Parameter athlete: one of the group; nil for each of it.
    func adherence(
        to id: String, of asked: String?, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let today = today
        let (plan, _) = try Self.shelved(id, sight, in: store)
        let athlete = try sight.athlete(asked: asked)
        if let athlete, !plan.group.athletes.contains(athlete) {
            throw InterfaceFault(
                404, "unknown_athlete", "\(athlete) is not in the group of the plan \(id)")
        }
        let told = try (athlete.map { [$0] } ?? plan.group.athletes).map { slug in
            (slug, try pieces(of: slug, in: store).adherence(to: plan, today: today))
        }
        return Self.json { json in
            json.object("plan", plan.writeHead)
            json.field("today", today.text)
            json.list("athletes", of: told) { json, told in
                json.field("athlete_id", told.0)
                told.1.write(into: &json)
            }
        }
    }

    /// Of each plan of an athlete what is next, and how the last weeks went.
    func plans(of athlete: String, in store: any LogbookStore) throws -> WebAnswer {
        let today = today
        let first = TrainingSpan(.day, of: today.advanced(by: -Self.recentDays))
        let recent = first...TrainingSpan(.day, of: today)
        let plans = try PlanShelf.all(in: store).map(\.plan).filter {
            $0.group.athletes.contains(athlete)
        }
        let pieces = plans.isEmpty ? [] : try pieces(of: athlete, in: store)
        return Self.json { json in
            json.field("today", today.text)
            json.list("plans", of: plans) { json, plan in
                let adherence = pieces.adherence(to: plan, today: today)
                json.field("id", plan.id)
                json.field("title", plan.title)
                let ahead = adherence.days.flatMap(\.items).filter { $0.verdict == .ahead }
                json.list("next", of: ahead.prefix(Self.nextWorkouts)) { json, item in
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

    private func pieces(
        of athlete: String, in store: any LogbookStore
    ) throws -> [PieceFigures] {
        try book.pieces(of: athlete, in: store, machine: room.machine(at:_:)).pieces.map(\.figures)
    }

    static func shelved(
        _ id: String, _ sight: Sight, in store: any LogbookStore
    ) throws -> PlanShelf.Shelved {
        if let found = try PlanShelf.plan(id, in: store), let plan = try sight.seen(found.plan) {
            return (plan, found.changedAt)
        }
        throw unknownPlan(id)
    }

    static func unknownPlan(_ id: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_plan",
            "there is no plan \"\(id.prefix(40))\"; /api/v1/plans lists those there are")
    }

    // MARK: Changing

    /// Puts a plan into the store, or takes one out.
    func change(
        _ endpoint: Endpoint, _ id: String, _ body: [UInt8]
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        guard Slug.isValid(id) else {
            throw InterfaceFault(
                400, "bad_value",
                "the plan's id is \"\(id.prefix(40))\"; it has to be 1 to 32 of a-z, 0-9 and -")
        }
        if endpoint == .removePlan {
            return writer.answer { store in
                guard try store.removePlan(id) else { throw Self.unknownPlan(id) }
                return .json(Array("{}".utf8))
            }
        }
        let intake: PlanIntake
        do throws(CommandFault) {
            intake = try PlanIntake(body, id: id, in: book.calendar) {
                try? TimeZoneDatabase.system.calendar(named: $0)
            }
        } catch {
            throw InterfaceFault(400, error.code.rawValue, error.message)
        }
        return writer.answer { store in
            let now = now
            let known = try PlanShelf.plan(id, in: store)?.plan
            let plan: TrainingPlan
            do throws(PlanFault) { plan = try intake.plan(id, inPlaceOf: known) } catch {
                throw InterfaceFault(400, "bad_value", "\(error)")
            }
            do { try PlanShelf.put(plan, at: now, in: store) } catch let full
                as PlanShelf.TooManyPlans
            {
                throw InterfaceFault(409, "too_many_plans", "\(full)")
            }
            return try Self.plan(id, .whole, in: store)
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
