import Bytes
import Contract
import LogbookStores
import People
import WebServer

/// Merges of two athlete ids that are one person, by coaches.
extension RecordRequestHandler {
    /// Returns all merges, the newest first.
    func merges(in store: any LogbookStore) throws -> WebAnswer {
        let merges = try MergeRepository.all(in: store, at: currentMilliseconds)
        return Self.json { json in
            json.list("merges", of: merges) { json, merge in merge.write(into: &json) }
        }
    }

    /// Merges `{"athlete_id"}` into the athlete of the path, or undoes the merge of that athlete. `"dry_run": true`
    /// only shows what a merge would do. Returns the merge.
    func changeMerge(
        _ endpoint: Endpoint, _ id: String, _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let now = currentMilliseconds
        if endpoint == .undoMerge {
            return writer.answer { store in
                try answer(store, isUndo: true) { try MergeRepository.undo(id, at: now, in: store) }
            }
        }
        let (other, isDryRun) = try Self.mergedAthlete(body)
        return writer.answer { store in
            try answer(store, isDryRun: isDryRun) {
                try MergeRepository.merge(
                    other, into: id, isDryRun: isDryRun, at: now, by: identity.name, in: store)
            }
        }
    }

    private func answer(
        _ store: any LogbookStore, isDryRun: Bool = false, isUndo: Bool = false,
        _ change: () throws -> AthleteMerge
    ) throws -> WebAnswer {
        let merge: AthleteMerge
        do { merge = try change() } catch let fault as MergeRepository.Fault {
            throw InterfaceFault(fault)
        } catch let full as PeopleRepository.TooMany {
            throw InterfaceFault(409, "too_many_athletes", "\(full)")
        } catch let full as UserRepository.Fault {
            throw InterfaceFault(409, "too_many_users", "\(full)")
        }
        if !isDryRun {
            try directory?.read(from: store)
            // The athlete who had the sessions before comes first.
            let athletes = [merge.athlete, merge.current]
            for athlete in isUndo ? athletes.reversed() : athletes { onAthleteChanged(athlete) }
        }
        return Self.json(merge.write)
    }

    private static func mergedAthlete(
        _ body: [UInt8]
    ) throws(InterfaceFault) -> (id: String, isDryRun: Bool) {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let id = try fields.text("athlete_id") else { throw fields.missing("athlete_id") }
            let isDryRun = try fields.flag("dry_run") ?? false
            try fields.finish()
            guard AthleteID.isValid(id) else { throw fields.wrong("athlete_id", "must be \(AthleteID.rule)") }
            return (id, isDryRun)
        } catch { throw InterfaceFault(error) }
    }

    /// Unix milliseconds.
    private var currentMilliseconds: Int64 {
        let (now, clock) = room.currentTime
        return clock.unixMilliseconds(at: now)
    }
}

extension InterfaceFault {
    /// A merge that cannot be made or undone, or a change of a merged athlete.
    init(_ fault: MergeRepository.Fault) {
        let (status, code): (UInt32, String) =
            switch fault {
            case .sameAthlete: (409, "same_athlete")
            case .unknownAthlete: (404, "unknown_athlete")
            case .merged, .keptIsMerged: (409, "merged_athlete")
            case .notMerged: (404, "unknown_merge")
            case .tooLate: (409, "too_late")
            case .notes: (409, "notes_too_long")
            case .fullGroup: (409, "group_full")
            case .tooMany: (409, "too_many_merges")
            }
        self.init(status, code, "\(fault)")
    }
}
