import DeliveryProof
import HostRuntime
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// What every store promises, tried on each.
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
    mutating func whatIsCommittedIsThereAfterwards(_ kind: StoreUnderTest) async throws {
        // Goal: every record once, byte for byte, also for who opens the store later. Method: a session
        // in three batches, read back by number from a store that was opened anew.
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 5)
        let store = try place.open(.keeping)
        var added = 0
        for part in [session[..<4], session[4..<9], session[9...]] {
            added += try store.commit(StoreBatch(Array(part))).added
        }
        #expect(added == session.count)
        store.close()
        for access in [SQLStore.Access.looking, .keeping] {
            let store = try place.open(access)
            let found = try store.records(of: stream(.stroke), in: 2...9, limit: 3)
            let expected = try session.map(KeptRecord.init).filter {
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
    mutating func whatComesAgainIsCountedAndWhatDiffersIsKeptBeside(
        _ kind: StoreUnderTest
    ) async throws {
        // Goal: the first record stays, whatever comes. Method: a session again as a replay sends it,
        // in the same batch and in another; a stroke with another power, three times.
        let place = try await kind.place()
        let session = traffic.session(Self.first, strokes: 3)
        let strokes = session.filter { $0.stream?.kind == .stroke }
        let store = try place.open(.keeping)
        let once = try store.commit(StoreBatch(session + strokes.map(\.replayed)))
        #expect((once.added, once.repeats, once.conflicts) == (session.count, 3, 0))
        let altered = strokes[1].replacing(#""stroke":2"#, by: #""stroke":9"#)
        let again = try store.commit(
            StoreBatch(session.map(\.replayed) + [altered, altered.replayed]))
        #expect((again.added, again.repeats, again.conflicts) == (0, session.count, 2))
        store.close()
        let reopened = try place.open(.keeping)
        #expect(try reopened.commit(StoreBatch([altered])).conflicts == 1)
        let conflicts = try reopened.conflicts(limit: 10)
        #expect(conflicts.count == 1)
        #expect((conflicts.first?.sequence, conflicts.first?.times) == (2, 3))
        #expect(try conflicts.first?.kept == KeptRecord(strokes[1]).stored)
        #expect(try conflicts.first?.other == KeptRecord(altered).stored)
        let state = try #require(try reopened.streams().first { $0.stream == stream(.stroke) })
        #expect((state.repeats, state.conflicts) == (6, 3))
        #expect(
            try reopened.records(of: stream(.stroke), in: 2...2, limit: 1).first?.stored
                == KeptRecord(strokes[1]).stored)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func anEpochIsAStreamOfItsOwn(_ kind: StoreUnderTest) async throws {
        // Goal: a number of another ring is another record. Method: the same numbers in two epochs and
        // of two gateways.
        let store = try await kind.place().open(.keeping)
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
    mutating func aClockOf1970CostsNothing(_ kind: StoreUnderTest) async throws {
        // Goal: whatever a gateway takes for the time, its records are here once, and each session is
        // whole. Method: one of 1970, one in which the clock is set, one of a year before; all again.
        let present: Int64 = 1_788_627_000_000
        traffic.setClock(to: 5_000)
        var records = traffic.session(Self.first, strokes: 4)
        records += traffic.session(Self.second, strokes: 6, clockSet: present)
        traffic.setClock(to: present - 365 * 86_400_000)
        let third = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
        records += traffic.session(third, strokes: 4)
        let store = try await kind.place().open(.keeping)
        #expect(try store.commit(StoreBatch(records)).added == records.count)
        let again = try store.commit(StoreBatch(records.map(\.replayed)))
        #expect((again.added, again.conflicts) == (0, 0))
        #expect(again.repeats == UInt64(records.count))
        for session in [Self.first, Self.second, third] {
            let evidence = try #require(try store.evidence(of: name(session)))
            let proof = evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts,
                digest: SHA256Digest.hexadecimal(of:))
            #expect(proof == .proven, "\(session)")
        }
        var filter = SessionFilter(limit: 10)
        #expect(try store.sessions(filter).map(\.name.session) == [third, Self.second, Self.first])
        filter.times = 0..<86_400_000
        #expect(try store.sessions(filter).count == 2)
        #expect(try store.faults() == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func orderDoesNotMatter(_ kind: StoreUnderTest) async throws {
        // Goal: a session that a replay completes reads like one that came in order. Method: its
        // records forwards in one batch, and backwards one by one.
        let session = traffic.session(Self.first, strokes: 4, missesItsEnd: true)
        var found: [[KeptSession]] = []
        for messages in [[session], session.reversed().map { [$0] }] {
            let store = try await kind.place().open(.keeping)
            for part in messages { _ = try store.commit(StoreBatch(part)) }
            found.append(try store.sessions(SessionFilter(limit: 5)))
            let evidence = try #require(try store.evidence(of: name(Self.first)))
            #expect(evidence.strokes.count == 4)
            let proof = evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts,
                digest: SHA256Digest.hexadecimal(of:))
            #expect(proof == .proven)
        }
        #expect(found[0] == found[1])
        let kept = try #require(found[0].first)
        #expect(kept.name == name(Self.first) && kept.strokes == 4 && kept.state == .missing)
        #expect(kept.workout == "just_row_without_splits" && kept.endedAt != nil)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func notesAndStatesLast(_ kind: StoreUnderTest) async throws {
        // Goal: what was learnt of a stream is known after a restart. Method: notes with and without
        // records, twice, and states; read from a store that was opened anew.
        let place = try await kind.place()
        let store = try place.open(.keeping)
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
        let reopened = try place.open(.looking)
        let states = try reopened.streams()
        let state = try #require(states.first { $0.stream == stream(.stroke) })
        #expect(state.extent.owed == 1...9 && state.extent.received.ranges == [1...2])
        #expect(state.gone.ranges == [4...7])
        #expect(states.contains { $0.stream == stream(.split) })
        var filter = SessionFilter(limit: 9)
        filter.states = [.verified]
        #expect(try reopened.sessions(filter).map(\.name) == [name(Self.first)])
        filter.states = [.missing, .gone]
        #expect(try reopened.sessions(filter) == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func sessionsAreFoundByWhatOneKnows(_ kind: StoreUnderTest) async throws {
        // Goal: a list that goes on where its page ended. Method: three sessions, two gateways.
        let store = try await kind.place().open(.keeping)
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
    mutating func aListGoesOnWhereItsPageEnded(_ kind: StoreUnderTest) async throws {
        // Goal: a list in pages is the list, also of what began in the same millisecond. Method: twelve
        // sessions of four gateways at three moments, and the strokes of one, in pages of each size.
        let store = try await kind.place().open(.keeping)
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
            var (sessions, filter): ([KeptSession], _) = ([], SessionFilter(limit: limit))
            while case let page = try store.sessions(filter), let last = page.last {
                #expect(page.count <= limit)
                sessions += page
                filter.after = SessionMark(firstAt: last.firstAt, name: last.name)
            }
            #expect(sessions == all)
            var (records, mark): ([[UInt8]], RecordMark?) = ([], nil)
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
    mutating func athletesAreThoseWhoRowed(_ kind: StoreUnderTest) async throws {
        // Goal: everybody whom a session names, once. Method: four sessions, of two athletes and of
        // nobody; in pages of one.
        let store = try await kind.place().open(.keeping)
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
    func theLastWordOfEachGatewayStays(_ kind: StoreUnderTest) async throws {
        // Goal: what a gateway last said outlives everybody, in bounded room. Method: words that take
        // each other's place, the store opened again, then more gateways than are kept.
        let place = try await kind.place()
        let store = try place.open(.keeping)
        func word(_ gateway: String, _ kind: GatewayWord.Kind, _ at: Int64) throws -> GatewayWord {
            GatewayWord(
                gateway: try #require(GatewayID(gateway)), kind: kind, heardAt: at,
                payload: Array(#"{"at":\#(at)}"#.utf8))
        }
        var batch = StoreBatch(now: 1)
        batch.words = [
            try word("b", .health, 5), try word("b", .birth, 4), try word("a", .health, 3),
        ]
        #expect(!batch.isEmpty)
        _ = try store.commit(batch)
        batch.words = [try word("b", .health, 9)]
        _ = try store.commit(batch)
        let expected = [
            try word("a", .health, 3), try word("b", .birth, 4), try word("b", .health, 9),
        ]
        #expect(try store.words() == expected)
        #expect(try place.open(.looking).words() == expected)
        batch.words = try (0..<300).map { try word("made-up-\($0)", .health, 100 + Int64($0)) }
        _ = try store.commit(batch)
        let gateways = Set(try store.words().map(\.gateway.slug))
        #expect(gateways.count == 256 && gateways.contains("made-up-299"))
        #expect(!gateways.contains("a") && !gateways.contains("made-up-43"))
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whatWasSaidOfSuggestionsIsKept(_ kind: StoreUnderTest) async throws {
        // Goal: the last word on each, from a connection beside the one that keeps records, and no more
        // than anybody needs. Method: words of two athletes, changed, read by all; too many; then
        // records, which that connection must not have held up.
        let place = try await kind.place()
        func word(_ athlete: String, _ id: String, _ at: Int64) -> KeptSuggestion {
            KeptSuggestion(
                athlete: athlete, id: id, said: "accepted", at: at, by: "coach",
                body: Array(#"{"id":"\#(id)","text":"für \u{0}"}"#.utf8))
        }
        let keeping = try place.open(.keeping)
        let noting = try place.open(.changing)
        #expect(try noting.suggestions(of: "anna") == [])
        var changed = word("anna", "more-1", 10)
        try noting.keep(changed)
        try noting.keep(word("ben", "more-1", 5))
        try noting.keep(word("anna", "more-2", 20))
        (changed.said, changed.at, changed.why, changed.by) = ("dismissed", 30, "ill; 'x'", nil)
        (changed.until, changed.setAt) = (99, 31)
        try keeping.keep(changed)
        for store in [keeping, noting, try place.open(.looking)] {
            #expect(try store.suggestions(of: "anna") == [changed, word("anna", "more-2", 20)])
            #expect(try store.suggestions(of: nil).map(\.athlete) == ["anna", "anna", "ben"])
        }
        #expect(throws: StoreFailure.self) { try place.open(.looking).keep(changed) }
        for number in 0..<210 { try noting.keep(word("carl", "w-\(number)", Int64(number))) }
        let left = try noting.suggestions(of: "carl")
        #expect(left.count == 200 && left.last?.id == "w-10")
        #expect(try noting.suggestions(of: nil).count == 203)
        var traffic = traffic
        let report = try keeping.commit(StoreBatch(traffic.session(Self.first, strokes: 3)))
        #expect(report.added > 3)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func heartRatesAreKeptUntilTheyAreTakenOut(_ kind: StoreUnderTest) async throws {
        // Goal: the last that was given of each, and nothing of whom it was taken out of. Method: two
        // athletes, one of them twice, then none, by stores that may and one that looks.
        let place = try await kind.place()
        func heart(_ athlete: String, _ maximal: Int) -> KeptHeart {
            KeptHeart(athlete: athlete, resting: 48, maximal: maximal, givenAt: Int64(maximal))
        }
        let (keeping, changing) = (try place.open(.keeping), try place.open(.changing))
        try changing.keep(heart("ben", 180))
        try changing.keep(heart("anna", 185))
        try changing.keep(heart("anna", 192))
        let looking = try place.open(.looking)
        for store in [keeping, changing, looking] {
            #expect(try store.hearts(of: nil) == [heart("anna", 192), heart("ben", 180)])
            #expect(try store.hearts(of: "ben") == [heart("ben", 180)])
        }
        #expect(throws: StoreFailure.self) { try looking.keep(heart("anna", 1)) }
        #expect(throws: StoreFailure.self) { try looking.removeHeart(of: "anna") }
        try changing.removeHeart(of: "anna")
        try changing.removeHeart(of: "carl")
        #expect(try looking.hearts(of: nil) == [heart("ben", 180)])
    }

    @Test(arguments: StoreUnderTest.allCases)
    func whoNotesMakesNoStore(_ kind: StoreUnderTest) async throws {
        // Goal: a place where nothing is kept stays empty. Method: it is opened for noting.
        let place = try await kind.place()
        #expect(throws: StoreFailure.self) { try place.open(.changing) }
        #expect(throws: StoreFailure.self) { try place.open(.looking) }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func plansAreKeptBesideTheRecords(_ kind: StoreUnderTest) async throws {
        // Goal: who plans changes plans while the logbook keeps records, and nobody else does. Method: a
        // store that is open for keeping, one for planning and one for looking; plans put, put again
        // and removed; records committed between.
        let place = try await kind.place()
        #expect(throws: StoreFailure.self) { try place.open(.changing) }
        let keeping = try place.open(.keeping)
        let (planning, looking) = (try place.open(.changing), try place.open(.looking))
        func plan(_ slug: String, _ at: Int64, _ body: String) -> KeptPlan {
            KeptPlan(slug: slug, changedAt: at, body: Array(body.utf8))
        }
        try planning.put(plan("winter", 1, "{}"))
        try planning.put(plan("a-1", 2, #"{"title":"Größe"}"#))
        let session = traffic.session(Self.first, strokes: 3)
        #expect(try keeping.commit(StoreBatch(session)).added == session.count)
        try planning.put(plan("winter", 3, "[1]"))
        let expected = [plan("a-1", 2, #"{"title":"Größe"}"#), plan("winter", 3, "[1]")]
        for store in [keeping, planning, looking] { #expect(try store.plans() == expected) }
        #expect(throws: StoreFailure.self) { try looking.put(expected[0]) }
        #expect(throws: StoreFailure.self) { try looking.removePlan("a-1") }
        #expect(try planning.removePlan("a-1") && !planning.removePlan("a-1"))
        for store in [planning, looking, keeping] { store.close() }
        #expect(try place.open(.keeping).plans() == [expected[1]])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func whoLooksSeesWhatIsKeptMeanwhile(_ kind: StoreUnderTest) async throws {
        // Goal: a store that stays open for looking is not of the past. Method: streams before and after
        // a commit of the store that keeps.
        let place = try await kind.place()
        let (keeping, looking) = (try place.open(.keeping), try place.open(.looking))
        #expect(try looking.streams() == [])
        _ = try keeping.commit(StoreBatch(traffic.session(Self.first, strokes: 3)))
        #expect(try looking.streams() == keeping.streams())
        #expect(try looking.streams().count == 4)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func recordsOfASessionAreItsOwn(_ kind: StoreUnderTest) async throws {
        // Goal: everything about a session, in order, and nothing of another one's. Method: two sessions
        // of an erg and one of a gateway that names its first alike; every kind.
        let store = try await kind.place().open(.keeping)
        let mine = traffic.session(Self.first, strokes: 12, missesItsEnd: true)
        var other = Traffic(gateway: "shed")
        let others =
            traffic.session(Self.second, strokes: 3) + other.session(Self.first, strokes: 2)
        _ = try store.commit(StoreBatch(others + mine))
        for wanted in StreamKind.allCases where wanted != .gatewayEvent {
            let expected = try mine.filter { $0.stream?.kind == wanted }.map {
                try KeptRecord($0).stored
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
    mutating func whatSessionsAreMadeOfIsFoundAfterAnUpgrade(_ kind: StoreUnderTest) async throws {
        // Goal: a store from before the table of those records has them all in it. Method: two sessions
        // of one erg; the table is taken away, and made anew as an upgrade makes it.
        let store = try #require(try await kind.place().open(.keeping) as? SQLStore)
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
    mutating func declarationsAreRead(_ kind: StoreUnderTest) async throws {
        // Goal: what a gateway declared lost is known after a restart. Method: two declarations and
        // another event.
        let place = try await kind.place()
        let store = try place.open(.keeping)
        let stream = Traffic.stream(.stroke)
        let began = traffic.sessionOverEpochs(
            Self.first, strokes: 4, newEpoch: "01J0EP0CH000000000000000BB", skipping: 2)
        _ = try store.commit(
            StoreBatch(
                began.before + [traffic.event()] + began.after
                    + [traffic.dropped(stream, 3...4, reason: "not_durable")]))
        store.close()
        let found = try place.open(.looking).declarations()
        #expect(found.map(\.declaration.reason) == [.earlierEpoch, .notDurable])
        #expect(found.map(\.declaration.sequences) == [1...4, 3...4])
        #expect(found.allSatisfy { $0.epoch == "01J0EP0CH000000000000000BB" })
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func aBatchThatFailsLeavesNothing(_ kind: StoreUnderTest) async throws {
        // Goal: the same batch can be tried again. Method: a store for looking refuses it; one for
        // keeping takes it.
        let place = try await kind.place()
        try place.open(.keeping).close()
        let batch = try StoreBatch(traffic.session(Self.first, strokes: 3))
        let looking = try place.open(.looking)
        #expect(throws: StoreFailure.self) { try looking.commit(batch) }
        #expect(try looking.streams() == [] && looking.size().records == 0)
        let store = try place.open(.keeping)
        #expect(try store.commit(batch).added == batch.records.count)
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func everyKindHasItsRow(_ kind: StoreUnderTest) async throws {
        // Goal: whatever a gateway says can be asked for, and nothing that it can say keeps a batch from
        // the store. Method: a record of each kind with what it must have, and one that is of no session;
        // a text with the character of the number 0.
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
        let store = try await kind.place().open(.keeping)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == records.count)
        let database = try #require(store as? SQLStore).database
        for table in Set(fields.map(\.1)) {
            let count = fields.count { $0.1 == table }
            #expect(
                try database.number("SELECT count(*) FROM \(table)") == Int64(count), "\(table)")
        }
        let kept = try #require(try store.sessions(SessionFilter(limit: 1)).first)
        #expect(kept.distance == 2000.5 && kept.name.session == Self.first)
        #expect(try store.records(of: .alert, in: name(Self.first)).count == 1)
        #expect(try store.faults() == [])
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func streamBeginsWithItsLowestNumberInWhateverOrder(_ kind: StoreUnderTest) async throws {
        let strokes = traffic.session(Self.first, strokes: 9).filter { $0.stream?.kind == .stroke }
        var found: [[ClosedRange<UInt64>?]] = []
        let orders: [[Traffic.Message]] = [
            strokes, strokes.reversed(), Array(strokes[4...]) + Array(strokes[..<3]),
        ]
        for order in orders {
            let store = try await kind.place().open(.keeping)
            for message in order { _ = try store.commit(StoreBatch([message])) }
            let state = try #require(try store.streams().first)
            found.append([state.extent.owed] + state.extent.missing)
        }
        #expect(found == [[1...9], [1...9], [1...9, 4...4]])
    }
}
