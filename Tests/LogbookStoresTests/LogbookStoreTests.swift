import DeliveryProof
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Behaviour that all stores have in common.
@Suite struct LogbookStoreTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private var traffic = Traffic()

    private func stroke(_ number: UInt64) -> ClosedRange<UInt64> { number...number }

    private func stream(_ kind: StreamKind, epoch: String? = nil) -> StoredStream {
        StoredStream(
            gateway: traffic.gateway, epoch: epoch ?? traffic.epoch, stream: Traffic.stream(kind))
    }

    private func name(_ session: String) -> SessionName {
        SessionName(gateway: traffic.gateway, session: session)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func returnsCommittedRecordsAfterReopening(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 5)
        let store = try place.open(.recording)
        var added = 0
        for part in [session[..<4], session[4..<9], session[9...]] {
            added += try store.commit(StoreBatch(Array(part))).added
        }
        #expect(added == session.count)
        store.close()
        for access in [SQLStore.Access.readOnly, .recording] {
            let store = try place.open(access)
            let found = try store.records(of: stream(.stroke), in: 2...9, limit: 3)
            let expected = try session.map(ValidatedRecord.init).filter {
                $0.stream.stream.kind == .stroke && $0.sequence > 1
            }
            #expect(found.map(\.sequence) == [2, 3, 4])
            #expect(found.map(\.stored) == expected.prefix(3).map(\.stored))
            #expect(try store.size().records == session.count)
            #expect(try store.faults() == [])
            let state = try #require(try store.streams().first { $0.stream == stream(.stroke) })
            #expect(state.extent.received.ranges == [1...5])
            #expect((state.repeats, state.conflicts) == (0, 0))
            store.close()
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func countsRepeatedRecordsAndStoresConflicts(
        _ kind: StoreUnderTest
    ) async throws {
        // Repeats a session as a replay does, in the same batch and in another one; sends a stroke with
        // different content three times.
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 3)
        let strokes = session.filter { $0.stream?.kind == .stroke }
        let store = try place.open(.recording)
        let once = try store.commit(StoreBatch(session + strokes.map(\.replayed)))
        #expect((once.added, once.repeats, once.conflicts) == (session.count, 3, 0))
        let altered = strokes[1].replacing(#""stroke":2"#, by: #""stroke":9"#)
        let repeated = try store.commit(
            StoreBatch(session.map(\.replayed) + [altered, altered.replayed]))
        #expect((repeated.added, repeated.repeats, repeated.conflicts) == (0, session.count, 2))
        store.close()
        let reopened = try place.open(.recording)
        #expect(try reopened.commit(StoreBatch([altered])).conflicts == 1)
        let conflicts = try reopened.conflicts(limit: 10)
        #expect(conflicts.count == 1)
        #expect((conflicts.first?.sequence, conflicts.first?.times) == (2, 3))
        #expect(try conflicts.first?.first == ValidatedRecord(strokes[1]).stored)
        #expect(try conflicts.first?.other == ValidatedRecord(altered).stored)
        let state = try #require(try reopened.streams().first { $0.stream == stream(.stroke) })
        #expect((state.repeats, state.conflicts) == (6, 3))
        #expect(
            try reopened.records(of: stream(.stroke), in: 2...2, limit: 1).first?.stored
                == ValidatedRecord(strokes[1]).stored)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func separatesStreamsByGatewayAndEpoch(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        var other = Traffic(gateway: "annex")
        let messages = traffic.session(Self.first, strokes: 2)
        var renewed = Traffic(epoch: "01J0EP0CH000000000000000BB")
        let report = try store.commit(
            StoreBatch(
                messages + renewed.session(Self.second, strokes: 2)
                    + other.session(Self.first, strokes: 2)))
        #expect((report.added, report.repeats) == (3 * messages.count, 0))
        #expect(
            report.sessions == [
                name(Self.first), name(Self.second),
                SessionName(gateway: other.gateway, session: Self.first),
            ])
        let streams = try store.streams().map(\.stream)
        #expect(streams == streams.sorted() && Set(streams).count == 12)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func storesRecordsWithWrongClocksOnce(_ kind: StoreUnderTest) async throws {
        // One session in 1970, one during which the clock is set, and one from a year earlier; then all of
        // them again.
        let present: Int64 = 1_788_627_000_000
        traffic.setClock(to: 5_000)
        var records = traffic.session(Self.first, strokes: 4)
        records += traffic.session(Self.second, strokes: 6, clockSet: present)
        traffic.setClock(to: present - 365 * 86_400_000)
        let third = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
        records += traffic.session(third, strokes: 4)
        let store = try await kind.place().open(.recording)
        #expect(try store.commit(StoreBatch(records)).added == records.count)
        let repeated = try store.commit(StoreBatch(records.map(\.replayed)))
        #expect((repeated.added, repeated.conflicts) == (0, 0))
        #expect(repeated.repeats == UInt64(records.count))
        for session in [Self.first, Self.second, third] {
            let evidence = try #require(try store.evidence(of: name(session)))
            let proof = evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts)
            #expect(proof == .proven, "\(session)")
        }
        var filter = SessionFilter(limit: 10)
        #expect(try store.sessions(filter).map(\.name.session) == [third, Self.second, Self.first])
        filter.times = 0..<86_400_000
        #expect(try store.sessions(filter).count == 2)
        #expect(try store.faults() == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func doesNotDependOnTheOrderOfRecords(_ kind: StoreUnderTest) async throws {
        let session = traffic.session(Self.first, strokes: 4, missesItsEnd: true)
        var found: [[StoredSession]] = []
        for messages in [[session], session.reversed().map { [$0] }] {
            let store = try await kind.place().open(.recording)
            for part in messages { _ = try store.commit(StoreBatch(part)) }
            found.append(try store.sessions(SessionFilter(limit: 5)))
            let evidence = try #require(try store.evidence(of: name(Self.first)))
            #expect(evidence.strokes.count == 4)
            let proof = evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts)
            #expect(proof == .proven)
        }
        #expect(found[0] == found[1])
        let stored = try #require(found[0].first)
        #expect(stored.name == name(Self.first) && stored.strokes == 4 && stored.state == .missing)
        #expect(stored.workout == "just_row_without_splits" && stored.endedAt != nil)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func preservesStreamNotesAndSessionStates(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try place.open(.recording)
        var batch = try StoreBatch(traffic.session(Self.first, strokes: 2))
        var note = StreamNote()
        (note.begin, note.announced, note.gone) = (1, 9, [5...6])
        batch.notes[stream(.stroke)] = note
        _ = try store.commit(batch)
        batch = StoreBatch(now: 1)
        (note.begin, note.announced, note.gone) = (nil, 8, [7...7, 4...4])
        batch.notes[stream(.stroke)] = note
        batch.notes[stream(.split)] = StreamNote()
        batch.states[name(Self.first)] = .verified
        #expect(try store.commit(batch) == CommitReport())
        store.close()
        let reopened = try place.open(.readOnly)
        let states = try reopened.streams()
        let state = try #require(states.first { $0.stream == stream(.stroke) })
        #expect(state.extent.expected == 1...9 && state.extent.received.ranges == [1...2])
        #expect(state.gone.ranges == [4...7])
        #expect(states.contains { $0.stream == stream(.split) })
        var filter = SessionFilter(limit: 9)
        filter.states = [.verified]
        #expect(try reopened.sessions(filter).map(\.name) == [name(Self.first)])
        filter.states = [.missing, .gone]
        #expect(try reopened.sessions(filter) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func findsSessionsByEachCondition(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        var other = Traffic(gateway: "annex")
        let erg = try #require(StationID("erg-2"))
        _ = try store.commit(
            StoreBatch(
                traffic.session(Self.first, strokes: 1)
                    + traffic.session(Self.second, strokes: 1, of: erg)
                    + other.session(Self.first, strokes: 1)))
        var filter = SessionFilter(limit: 9)
        #expect(try store.sessions(filter).count == 3)
        filter.gateway = traffic.gateway
        let mine = try store.sessions(filter)
        #expect(mine.map(\.name.session) == [Self.second, Self.first])
        filter.station = erg
        #expect(try store.sessions(filter).map(\.name.session) == [Self.second])
        filter = SessionFilter(limit: 9)
        filter.times = mine[1].firstAt..<mine[0].firstAt
        #expect(
            try store.sessions(filter).map(\.name.gateway) == [mine[1].name.gateway, other.gateway])
        (filter.gateway, filter.session) = (traffic.gateway, Self.first)
        #expect(try store.sessions(filter) == [mine[1]])
        filter.athlete = "nobody"
        #expect(try store.sessions(filter) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func continuesListsAfterEachPage(_ kind: StoreUnderTest) async throws {
        // Twelve sessions of four gateways, four each at three moments, so that many begin in the same
        // millisecond.
        let store = try await kind.place().open(.recording)
        for gateway in ["annex", "boathouse", "hall", "shed"] {
            var traffic = Traffic(gateway: gateway)
            for session in [Self.first, Self.second, "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"] {
                _ = try store.commit(StoreBatch(traffic.session(session, strokes: 7)))
            }
        }
        let all = try store.sessions(SessionFilter(limit: 99))
        #expect(all.count == 12 && Set(all.map(\.firstAt)).count == 3)
        let strokes = try store.records(of: .stroke, in: name(Self.second))
        #expect(strokes.count == 7)
        for limit in 1...8 {
            var (sessions, filter): ([StoredSession], _) = ([], SessionFilter(limit: limit))
            while case let page = try store.sessions(filter), let last = page.last {
                #expect(page.count <= limit)
                sessions += page
                filter.after = SessionCursor(firstAt: last.firstAt, name: last.name)
            }
            #expect(sessions == all)
            var (records, mark): ([[UInt8]], RecordCursor?) = ([], nil)
            while case let page = try store.records(
                of: .stroke, in: name(Self.second), after: mark, limit: limit),
                let last = page.last
            {
                #expect(page.count <= limit)
                records += page.map(\.stored)
                mark = last.mark
            }
            #expect(records == strokes)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func listsAthletesOfSessions(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        for (session, athlete) in [
            (Self.first, "ben"), (Self.second, "anna"), ("01J7ZK3Q5XQ4W8G9T2V6B0C1DG", "ben"),
        ] {
            let named = traffic.session(session, strokes: 2).map {
                $0.replacing(#""started_ms""#, by: #""athlete_id":"\#(athlete)","started_ms""#)
            }
            _ = try store.commit(StoreBatch(named))
        }
        _ = try store.commit(StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DH", strokes: 1)))
        let all = try store.athletes(after: nil, limit: 9)
        #expect(all.map(\.slug) == ["anna", "ben"] && all.map(\.sessions) == [1, 2])
        #expect(all[1].firstAt < all[0].firstAt && all[0].firstAt < all[1].lastAt)
        #expect(try store.athletes(after: nil, limit: 1) == [all[0]])
        #expect(try store.athletes(after: "anna", limit: 1) == [all[1]])
        #expect(try store.athletes(after: "ben", limit: 1) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesTheLastStatusMessagesOfBoundedGateways(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try place.open(.recording)
        func message(
            _ gateway: String, _ kind: GatewayStatusMessage.Kind, _ at: Int64
        ) throws -> GatewayStatusMessage {
            GatewayStatusMessage(
                gateway: try #require(GatewayID(gateway)), kind: kind, reportedAt: at,
                payload: Array(#"{"at":\#(at)}"#.utf8))
        }
        var batch = StoreBatch(now: 1)
        batch.statusMessages = [
            try message("b", .health, 5), try message("b", .birth, 4), try message("a", .health, 3),
        ]
        #expect(!batch.isEmpty)
        _ = try store.commit(batch)
        batch.statusMessages = [try message("b", .health, 9)]
        _ = try store.commit(batch)
        let expected = [
            try message("a", .health, 3), try message("b", .birth, 4), try message("b", .health, 9),
        ]
        #expect(try store.statusMessages() == expected)
        #expect(try place.open(.readOnly).statusMessages() == expected)
        batch.statusMessages = try (0..<300).map { try message("made-up-\($0)", .health, 100 + Int64($0)) }
        _ = try store.commit(batch)
        let gateways = Set(try store.statusMessages().map(\.gateway.slug))
        #expect(gateways.count == 256 && gateways.contains("made-up-299"))
        #expect(!gateways.contains("a") && !gateways.contains("made-up-43"))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesTheLastResponseToEachSuggestion(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        func response(_ athlete: String, _ id: String, _ at: Int64) -> StoredSuggestionResponse {
            StoredSuggestionResponse(
                athlete: athlete, id: id, answer: "accepted", at: at, by: "coach",
                body: Array(#"{"id":"\#(id)","text":"für \u{0}"}"#.utf8))
        }
        let recorder = try place.open(.recording)
        let editor = try place.open(.editing)
        #expect(try editor.suggestions(of: "anna") == [])
        var changed = response("anna", "more-1", 10)
        try editor.save(changed)
        try editor.save(response("ben", "more-1", 5))
        try editor.save(response("anna", "more-2", 20))
        (changed.answer, changed.at, changed.why, changed.by) = ("dismissed", 30, "ill; 'x'", nil)
        (changed.until, changed.setAt) = (99, 31)
        try recorder.save(changed)
        for store in [recorder, editor, try place.open(.readOnly)] {
            #expect(try store.suggestions(of: "anna") == [changed, response("anna", "more-2", 20)])
            #expect(try store.suggestions(of: nil).map(\.athlete) == ["anna", "anna", "ben"])
        }
        #expect(throws: StoreFailure.self) { try place.open(.readOnly).save(changed) }
        for number in 0..<210 { try editor.save(response("carl", "w-\(number)", Int64(number))) }
        let left = try editor.suggestions(of: "carl")
        #expect(left.count == 200 && left.last?.id == "w-10")
        #expect(try editor.suggestions(of: nil).count == 203)
        var traffic = traffic
        let report = try recorder.commit(StoreBatch(traffic.session(Self.first, strokes: 3)))
        #expect(report.added > 3)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesHeartLimitsUntilTheyAreRemoved(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        func heart(_ athlete: String, _ maximal: Int) -> StoredHeartLimits {
            StoredHeartLimits(athlete: athlete, resting: 48, maximal: maximal, givenAt: Int64(maximal))
        }
        let (recorder, editor) = (try place.open(.recording), try place.open(.editing))
        try editor.save(heart("ben", 180))
        try editor.save(heart("anna", 185))
        try editor.save(heart("anna", 192))
        let reader = try place.open(.readOnly)
        for store in [recorder, editor, reader] {
            #expect(try store.heartLimits(of: nil) == [heart("anna", 192), heart("ben", 180)])
            #expect(try store.heartLimits(of: "ben") == [heart("ben", 180)])
        }
        #expect(throws: StoreFailure.self) { try reader.save(heart("anna", 1)) }
        #expect(throws: StoreFailure.self) { try reader.removeHeartLimits(of: "anna") }
        try editor.removeHeartLimits(of: "anna")
        try editor.removeHeartLimits(of: "carl")
        #expect(try reader.heartLimits(of: nil) == [heart("ben", 180)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func doesNotCreateAStoreForEditingOrReading(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        #expect(throws: StoreFailure.self) { try place.open(.editing) }
        #expect(throws: StoreFailure.self) { try place.open(.readOnly) }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesPeople(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        func profile(_ id: String, _ at: Int64, _ body: String) -> StoredProfile {
            StoredProfile(athlete: id, changedAt: at, body: Array(body.utf8))
        }
        let (anna, ben) = (profile("anna", 1, #"{"name":"Änna"}"#), profile("ben", 1, "{}"))
        let group = StoredGroup(id: "juniors", name: "Größe", members: ["anna", "ben"])
        let empty = StoredGroup(id: "empty", name: "E", members: [])
        try editor.save([ben, anna], [group, empty])
        for store in [recorder, editor, reader] {
            #expect(try store.profiles() == [anna, ben])
            #expect(try store.groups() == [empty, group])
        }
        // Replaces members, and leaves other groups.
        let smaller = StoredGroup(id: "juniors", name: "J", members: ["ben"])
        try editor.save([profile("ben", 2, "[1]")], [smaller])
        #expect(try reader.profiles() == [anna, profile("ben", 2, "[1]")])
        #expect(try reader.groups() == [empty, smaller])
        #expect(throws: StoreFailure.self) { try reader.save([anna], []) }
        #expect(throws: StoreFailure.self) { try reader.removeProfile(of: "anna") }
        #expect(try editor.removeProfile(of: "ben") && !editor.removeProfile(of: "ben"))
        #expect(try reader.groups() == [empty, StoredGroup(id: "juniors", name: "J", members: [])])
        #expect(try editor.removeGroup("empty") && !editor.removeGroup("empty"))
        for store in [editor, reader, recorder] { store.close() }
        let reopened = try place.open(.recording)
        #expect(try reopened.profiles() == [anna] && reopened.groups().map(\.id) == ["juniors"])
    }

    /// Corrects a session before its last records arrive. They must not change the corrected athlete.
    @Test(arguments: StoreUnderTest.allCases)
    mutating func correctionStaysWhenRecordsArrive(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try place.open(.recording)
        let messages = traffic.session(Self.first, strokes: 3).named("anna")
        _ = try store.commit(StoreBatch(Array(messages.prefix(2))))
        let name = SessionName(gateway: traffic.gateway, session: Self.first)
        func session() throws -> StoredSession? { try store.sessions(SessionFilter(limit: 9)).first }
        #expect(try session()?.athlete == "anna" && session()?.isCorrected == false)
        let correction = try store.correct(name, to: .corrected("ben"), at: 5, by: "coach")
        let expected = StoredCorrection(session: name, at: 5, by: "coach", former: "anna", new: "ben")
        #expect(correction == expected)
        _ = try store.commit(StoreBatch(Array(messages.dropFirst(2))))
        #expect(try session()?.athlete == "ben" && session()?.isCorrected == true)
        #expect(try store.athletes(after: nil, limit: 9).map(\.slug) == ["ben"])
        // The same athlete again is no correction.
        _ = try store.correct(name, to: .corrected("ben"), at: 6, by: nil)
        _ = try store.correct(name, to: .corrected(nil), at: 7, by: nil)
        var nobody = SessionFilter(limit: 9)
        nobody.hasNoAthlete = true
        #expect(try store.sessions(nobody).map(\.name) == [name])
        _ = try store.correct(name, to: .asRecorded, at: 8, by: nil)
        #expect(try session()?.athlete == "anna" && session()?.isCorrected == false)
        #expect(try store.sessions(nobody).isEmpty)
        let corrections = try store.corrections(of: name)
        #expect(corrections.map(\.new) == ["ben", nil, "anna"] && corrections.map(\.at) == [5, 7, 8])
        #expect(try store.corrections(of: nil) == corrections)
        let unknown = SessionName(gateway: traffic.gateway, session: Self.second)
        #expect(try store.correct(unknown, to: .corrected("ben"), at: 9, by: nil) == nil)
        // The records are the published ones.
        let strokes = try store.records(of: .stroke, in: name)
        #expect(strokes.count == 3)
        #expect(strokes.allSatisfy { StoredRecord.text(of: "athlete_id", in: $0) == "anna" })
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesUsersAndTheirDevices(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        func invited(_ id: String, athlete: String? = nil) -> StoredUser {
            StoredUser(
                id: id, name: "Jörg", role: "coach", athlete: athlete, createdAt: 1,
                invitation: .init(digest: "\(id) invited", expiresAt: 10))
        }
        func device(_ digest: String) -> StoredDevice {
            StoredDevice(digest: digest, user: "", name: "iPad", createdAt: 0, seenAt: 0)
        }
        let (anna, kim) = (invited("anna", athlete: "anna"), invited("kim"))
        for user in [kim, anna] { try editor.users.save(user) }
        #expect(try reader.users.all() == [anna, kim])
        // Another user of the same athlete, or with the same invitation, is refused.
        #expect(throws: StoreFailure.self) { try editor.users.save(invited("other", athlete: "anna")) }
        var copy = invited("other")
        copy.invitation = kim.invitation
        #expect(throws: StoreFailure.self) { try editor.users.save(copy) }
        #expect(throws: StoreFailure.self) { try reader.users.save(kim) }

        #expect(try reader.users.invited(with: "kim invited", at: 9) == kim)
        #expect(try reader.users.invited(with: "kim invited", at: 10) == nil)
        #expect(try editor.users.accept("kim invited", on: device("x"), at: 10) == nil)
        #expect(try editor.users.accept("unknown", on: device("x"), at: 5) == nil)
        #expect(try editor.users.accept("kim invited", on: device("first"), at: 5)?.id == "kim")
        #expect(try editor.users.accept("kim invited", on: device("x"), at: 6) == nil)
        let first = StoredDevice(digest: "first", user: "kim", name: "iPad", createdAt: 5, seenAt: 5)
        #expect(try reader.users.devices() == [first])
        try editor.users.saw("first", at: 7)
        #expect(try reader.users.devices().map(\.seenAt) == [7])

        // The device that was not used for longest goes.
        for number in 1...UserTable.maximumDevices {
            try editor.users.save(kim)
            _ = try editor.users.accept("kim invited", on: device("d\(number)"), at: 8)
        }
        let digests = try reader.users.devices().map(\.digest)
        #expect(digests.count == UserTable.maximumDevices && !digests.contains("first"))
        #expect(try editor.users.removeDevice("d1") && !editor.users.removeDevice("d1"))
        #expect(try editor.users.remove("kim") && !editor.users.remove("kim"))
        for store in [editor, reader, recorder] { store.close() }
        let reopened = try place.open(.recording)
        #expect(try reopened.users.all() == [anna] && reopened.users.devices().isEmpty)
        reopened.close()
    }

    /// A group with a repeated member is refused, with everything that was stored beside it.
    @Test(arguments: StoreUnderTest.allCases)
    func storesAllPeopleOrNone(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        let anna = StoredProfile(athlete: "anna", changedAt: 1, body: [])
        let wrong = StoredGroup(id: "juniors", name: "J", members: ["anna", "anna"])
        #expect(throws: StoreFailure.self) { try store.save([anna], [wrong]) }
        #expect(try store.profiles() == [] && store.groups() == [])
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func storesPlansInParallelWithRecords(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        #expect(throws: StoreFailure.self) { try place.open(.editing) }
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        func plan(_ slug: String, _ at: Int64, _ body: String) -> StoredPlan {
            StoredPlan(slug: slug, changedAt: at, body: Array(body.utf8))
        }
        try editor.save(plan("winter", 1, "{}"))
        try editor.save(plan("a-1", 2, #"{"title":"Größe"}"#))
        let session = traffic.session(Self.first, strokes: 3)
        #expect(try recorder.commit(StoreBatch(session)).added == session.count)
        try editor.save(plan("winter", 3, "[1]"))
        let expected = [plan("a-1", 2, #"{"title":"Größe"}"#), plan("winter", 3, "[1]")]
        for store in [recorder, editor, reader] { #expect(try store.plans() == expected) }
        #expect(throws: StoreFailure.self) { try reader.save(expected[0]) }
        #expect(throws: StoreFailure.self) { try reader.removePlan("a-1") }
        #expect(try editor.removePlan("a-1") && !editor.removePlan("a-1"))
        for store in [editor, reader, recorder] { store.close() }
        #expect(try place.open(.recording).plans() == [expected[1]])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func seesNewRecordsInAReadOnlyStore(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let (recorder, reader) = (try place.open(.recording), try place.open(.readOnly))
        #expect(try reader.streams() == [])
        _ = try recorder.commit(StoreBatch(traffic.session(Self.first, strokes: 3)))
        #expect(try reader.streams() == recorder.streams())
        #expect(try reader.streams().count == 4)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func returnsOnlyRecordsOfTheSession(_ kind: StoreUnderTest) async throws {
        // The other gateway has a session with the same id.
        let store = try await kind.place().open(.recording)
        let mine = traffic.session(Self.first, strokes: 12, missesItsEnd: true)
        var other = Traffic(gateway: "shed")
        let others =
            traffic.session(Self.second, strokes: 3) + other.session(Self.first, strokes: 2)
        _ = try store.commit(StoreBatch(others + mine))
        for wanted in StreamKind.allCases where wanted != .gatewayEvent {
            let expected = try mine.filter { $0.stream?.kind == wanted }.map {
                try ValidatedRecord($0).stored
            }
            #expect(try store.records(of: wanted, in: name(Self.first)) == expected, "\(wanted)")
        }
        #expect(try store.records(of: .stroke, in: name("absent")) == [])
        let named = try store.sessions(named: Self.first)
        #expect(named.map(\.gateway.slug) == ["boathouse", "shed"])
        #expect(try store.sessions(named: "absent") == [])
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func fillsSessionRecordsOnMigration(_ kind: StoreUnderTest) async throws {
        // Drops the table and runs its migration again.
        let store = try #require(try await kind.place().open(.recording) as? SQLStore)
        let sessions =
            traffic.session(Self.first, strokes: 3) + traffic.session(Self.second, strokes: 2)
        _ = try store.commit(StoreBatch(sessions))
        func found() throws -> [[[UInt8]]] {
            try [StreamKind.session, .manifest].flatMap { kind in
                try [Self.first, Self.second].map { try store.records(of: kind, in: name($0)) }
            }
        }
        let before = try found()
        #expect(before.allSatisfy { !$0.isEmpty } && Set(before).count == 4)
        let all = kind == .sqlite ? SQLiteMigrations.all : PostgreSQLMigrations.all
        let upgrade = try #require(all.first { $0.contains("CREATE TABLE session_record") })
        try store.database.run("DROP TABLE session_record", [])
        for statement in upgrade.split(separator: ";") where statement.contains("session_record") {
            try store.database.run(String(statement), [])
        }
        #expect(try found() == before)
        store.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func readsDeclarationsAfterReopening(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let store = try place.open(.recording)
        let stream = Traffic.stream(.stroke)
        let began = traffic.sessionOverEpochs(
            Self.first, strokes: 4, newEpoch: "01J0EP0CH000000000000000BB", skipping: 2)
        _ = try store.commit(
            StoreBatch(
                began.before + [traffic.event()] + began.after
                    + [traffic.dropped(stream, 3...4, reason: "not_durable")]))
        store.close()
        let found = try place.open(.readOnly).declarations()
        #expect(found.map(\.declaration.reason) == [.earlierEpoch, .notDurable])
        #expect(found.map(\.declaration.sequences) == [1...4, 3...4])
        #expect(found.allSatisfy { $0.epoch == "01J0EP0CH000000000000000BB" })
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func storesNothingOfAFailedBatch(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        try place.open(.recording).close()
        let batch = try StoreBatch(traffic.session(Self.first, strokes: 3))
        let reader = try place.open(.readOnly)
        #expect(throws: StoreFailure.self) { try reader.commit(batch) }
        #expect(try reader.streams() == [] && reader.size().records == 0)
        let store = try place.open(.recording)
        #expect(try store.commit(batch).added == batch.records.count)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func addsARowForEveryKind(_ kind: StoreUnderTest) async throws {
        // The event contains a NUL character, which PostgreSQL's texts do not allow.
        let session = #""session_id":"\#(Self.first)","#
        let alert = #""alert_id":"\#(Self.second)","state":"firing","rule":"stopped","value":7.50"#
        let fields: [(StreamKind, String, String)] = [
            (.gatewayEvent, "event", #""event":"started","reason":"a\u0000b \u00fc","step_ms":-5"#),
            (.split, "split", session + #""split":1,"distance_m":100.5,"target_power_min_w":150"#),
            (.gap, "gap", session + #""reason":"link_lost","recovered":true"#),
            (.alert, "alert", session + alert), (.alert, "alert", alert),
            (.rollup, "rollup", session + #""span":"minute","number":2,"avg_power_w":180.5"#),
            (.roomRollup, "room_rollup", #""from_ms":1788627000000,"pace_s_per_500m":121.50"#),
            (.crewRollup, "room_rollup", #""crew":"bow","from_ms":1788627000000,"strokes":4"#),
            (.summary, "session", session + #""revision":1,"distance_m":2000.5,"strokes":200"#),
        ]
        let records = try fields.enumerated().map {
            try traffic.record($1.0, UInt64($0 + 1), $1.2)
        }
        let store = try await kind.place().open(.recording)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == records.count)
        let database = try #require(store as? SQLStore).database
        for table in Set(fields.map(\.1)) {
            let count = fields.count { $0.1 == table }
            #expect(
                try database.number("SELECT count(*) FROM \(table)") == Int64(count), "\(table)")
        }
        let stored = try #require(try store.sessions(SessionFilter(limit: 1)).first)
        #expect(stored.distance == 2000.5 && stored.name.session == Self.first)
        #expect(try store.records(of: .alert, in: name(Self.first)).count == 1)
        #expect(try store.faults() == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func listsTheReceivedPartWithoutAResult(_ kind: StoreUnderTest) async throws {
        let record = try traffic.record(
            .summary, 1,
            #""session_id":"\#(Self.first)","revision":1,"partial_result":true,"#
                + #""received_time_s":24.50,"received_distance_m":90.2,"strokes":10"#)
        let store = try await kind.place().open(.recording)
        #expect(try store.commit(StoreBatch(records: [record], now: 1)).added == 1)
        let stored = try #require(try store.sessions(SessionFilter(limit: 1)).first)
        #expect(stored.distance == 90.2 && stored.resultTime == 24.5)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func beginsStreamWithTheLowestNumberInAnyOrder(_ kind: StoreUnderTest) async throws {
        let strokes = traffic.session(Self.first, strokes: 9).filter { $0.stream?.kind == .stroke }
        var found: [[ClosedRange<UInt64>?]] = []
        let orders: [[Traffic.Message]] = [
            strokes, strokes.reversed(), Array(strokes[4...]) + Array(strokes[..<3]),
        ]
        for order in orders {
            let store = try await kind.place().open(.recording)
            for message in order { _ = try store.commit(StoreBatch([message])) }
            let state = try #require(try store.streams().first)
            found.append([state.extent.expected] + state.extent.missing)
        }
        #expect(found == [[1...9], [1...9], [1...9, 4...4]])
    }
}
