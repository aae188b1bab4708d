import Bytes
import Contract
import LogbookStores
import People
import WebServer

/// Profiles of athletes and groups: lists, changes, and the table for spreadsheets.
extension RecordRequestHandler {
    // MARK: Reading

    static func groups(in store: any LogbookStore) throws -> WebAnswer {
        let groups = try PeopleRepository.groups(in: store)
        return json { json in
            json.list("groups", of: groups) { json, group in group.write(into: &json) }
        }
    }

    /// Returns all profiles as a table that the import reads.
    static func exportAthletes(in store: any LogbookStore) throws -> WebAnswer {
        attachment("text/csv; charset=utf-8", try PeopleRepository.table(in: store), "athletes.csv")
    }

    // MARK: Changing

    /// Handles a request that changes athletes or groups.
    ///
    /// - Parameter pathValues: the id of the athlete or group, if the path has one.
    func changePeople(
        _ endpoint: Endpoint, _ pathValues: [String], _ body: [UInt8]
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let (now, clock) = room.currentTime
        let time = clock.unixMilliseconds(at: now)
        let change: Change
        switch endpoint {
        case .addAthlete: change = try Self.addition(body, at: time)
        case .importAthletes: change = try Self.tableImport(body, at: time)
        case .setAthlete:
            let id = try Self.validAthleteID(pathValues[0])
            var fields = try Self.fields(body)
            let profile = try Self.checked { () throws(CommandFault) in
                let profile = try fields.athlete { _ in id }
                try fields.finish()
                return profile
            }
            change = { store in
                try PeopleRepository.save(profile, at: time, in: store)
                return try Self.stored(id, in: store)
            }
        case .removeAthlete:
            let id = try Self.validAthleteID(pathValues[0])
            change = { try Self.removal(of: id, in: $0) }
        case .setGroup: change = try Self.groupChange(pathValues[0], body)
        case .removeGroup:
            let id = pathValues[0]
            change = { store in
                guard try store.removeGroup(id) else { throw Self.unknownGroup(id) }
                return .json(Array("{}".utf8))
            }
        default: preconditionFailure("\(endpoint) does not change people")
        }
        return writer.answer { store in
            do { return try change(store) } catch let fault as PeopleFault {
                throw InterfaceFault(400, "bad_value", "\(fault)")
            } catch let full as PeopleRepository.TooMany {
                throw InterfaceFault(409, "too_many_athletes", "\(full)")
            } catch let fault as MergeRepository.Fault {
                throw InterfaceFault(fault)
            }
        }
    }

    private typealias Change = @Sendable (any LogbookStore) throws -> WebAnswer

    private static func fields(_ body: [UInt8]) throws(InterfaceFault) -> CommandFields {
        CommandFields(try checked { () throws(CommandFault) in try CommandFields.object(body) })
    }

    private static func checked<Value>(
        _ body: () throws(CommandFault) -> Value
    ) throws(InterfaceFault) -> Value {
        do throws(CommandFault) { return try body() } catch {
            throw InterfaceFault(error)
        }
    }

    private static func validAthleteID(_ id: String) throws(InterfaceFault) -> String {
        guard AthleteID.isValid(id) else {
            throw InterfaceFault(
                400, "bad_value", "\"\(id.prefix(40))\" is not a valid athlete id; use \(AthleteID.rule)")
        }
        return id
    }

    /// A new athlete: the fields of a profile, and optionally an id; without one, the name gives it.
    private static func addition(_ body: [UInt8], at time: Int64) throws(InterfaceFault) -> Change {
        var fields = try fields(body)
        let (draft, id) = try checked { () throws(CommandFault) in
            let id = try fields.text(AthleteField.id.rawValue)
            let draft = try fields.athlete { _ in id ?? "new" }
            try fields.finish()
            return (draft, id)
        }
        return { store in
            let isUsed = try PeopleRepository.usedIDs(in: store)
            if let id, isUsed.contains(id) {
                throw InterfaceFault(
                    409, "athlete_exists", "there is an athlete \(id) already; choose another id, or none")
            }
            let newID = id ?? AthleteNaming.id(for: draft.name, isUsed: isUsed.contains)
            let profile = try AthleteProfile(id: newID) { draft[$0] }
            try PeopleRepository.save(profile, at: time, in: store)
            return try Self.stored(newID, in: store)
        }
    }

    private static func stored(_ id: String, in store: any LogbookStore) throws -> WebAnswer {
        guard let athlete = try PeopleRepository.athletes(in: store).first(where: { $0.id == id }) else {
            throw unknownAthlete(id)
        }
        return json { athlete.write(into: &$0) }
    }

    private static func removal(of id: String, in store: any LogbookStore) throws -> WebAnswer {
        switch try PeopleRepository.removeProfile(of: id, in: store) {
        case .removed: return .json(Array("{}".utf8))
        case .unknown: throw unknownAthlete(id)
        case .hasSessions:
            throw InterfaceFault(
                409, "has_sessions",
                "\(id) has sessions; archive the athlete, or erase all of the athlete's data with "
                    + "rowgate-logbook athlete forget \(id)")
        }
    }

    /// A group: `{"name", "athletes"}`. Missing fields keep their stored values.
    private static func groupChange(_ id: String, _ body: [UInt8]) throws(InterfaceFault) -> Change {
        let fields = try fields(body)
        // Errors that need no store are reported before the queue.
        _ = try checked { () throws(CommandFault) in
            var fields = fields
            let current = try? AthleteGroup(id: id, name: id, members: [])
            let group = try fields.group(id: id, replacing: current)
            try fields.finish()
            return group
        }
        return { store in
            let current = try PeopleRepository.groups(in: store).first { $0.id == id }
            var fields = fields
            let group: AthleteGroup
            do { group = try fields.group(id: id, replacing: current) } catch let fault as CommandFault {
                throw InterfaceFault(fault)
            }
            try PeopleRepository.save(group, in: store)
            // Merged ids are replaced by the kept ones.
            let stored = try PeopleRepository.groups(in: store).first { $0.id == id } ?? group
            return json { stored.write(into: &$0) }
        }
    }

    /// Returns the group with this id.
    static func group(_ id: String, in groups: [AthleteGroup]) throws(InterfaceFault) -> AthleteGroup {
        guard let group = groups.first(where: { $0.id == id }) else { throw unknownGroup(id) }
        return group
    }

    private static func unknownGroup(_ id: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_group",
            "unknown group \"\(id.prefix(40))\"; /api/v1/groups lists all groups")
    }

    /// A table: `{"text": "name,birth_year\r\n...", "dry_run": true}`. A dry run only checks it.
    private static func tableImport(_ body: [UInt8], at time: Int64) throws(InterfaceFault) -> Change {
        var fields = try fields(body)
        let (text, isDryRun) = try checked { () throws(CommandFault) in
            guard let text = try fields.text("text") else { throw fields.missing("text") }
            let isDryRun = try fields.flag("dry_run") ?? false
            try fields.finish()
            return (Array(text.utf8), isDryRun)
        }
        return { store in
            let (added, changed) = try PeopleRepository.importTable(
                text, isDryRun: isDryRun, at: time, in: store)
            return json { json in
                json.field("added", added)
                json.field("changed", changed)
            }
        }
    }
}
