import Bytes
import Testing

@testable import PM5Codec

@Suite struct StatusByteTests {
    @Test func roundTripsEveryStatusByte() {
        // All bytes without the unused bit, decoded and encoded.
        for rawValue in UInt8.min...UInt8.max where rawValue & 0x40 == 0 {
            let status = StatusByte(rawValue: rawValue)
            let rebuilt = StatusByte(
                toggle: status.toggle, previousFrame: status.previousFrame, state: status.state)
            #expect(rebuilt == status)
            #expect(status.isAccepted == (rawValue & 0x30 == 0))
        }
    }

    @Test(arguments: [0x11, 0x91, 0x92, 0x17, 0x98, 0x19, 0x99] as [UInt8])
    func recognizesCapturedRejects(rawValue: UInt8) throws {
        // Captures of rejects in every state and toggle.
        let response = try response([0xF1, rawValue, rawValue, 0xF2])
        #expect(response.status.previousFrame == .reject)
        #expect(response.status.isAccepted == false)
        #expect(response.replies.isEmpty)
    }
}

@Suite struct QueryTests {
    @Test(
        arguments: [
            (Query.status.command, "F1 80 80 F2"),
            (Query.linkCapabilities.command, "F1 70 01 00 71 F2"),
            (Query.screenStatus.command, "F1 7E 01 86 F9 F2"),
            (Query.workoutState.command, "F1 7E 01 8D F3 02 F2"),
            (Query.workoutDuration.command, "F1 7E 01 E8 97 F2"),
            (Query.batteryLevelPercent.command, "F1 7E 01 97 E8 F2"),
            (Query.dateTime.command, "F1 7E 01 85 FA F2"),
            (Query.dragFactor.throughUserConfiguration.command, "F1 1A 01 C1 DA F2"),
            (Query.strokeState.throughUserConfiguration.command, "F1 1A 01 BF A4 F2"),
            (Query.workTime.throughUserConfiguration.command, "F1 1A 01 A0 BB F2"),
            (
                Query.forcePlot(byteCount: 20).throughUserConfiguration.command,
                "F1 1A 03 6B 01 14 67 F2"
            ),
            (
                Query.forcePlot(byteCount: 32).throughUserConfiguration.command,
                "F1 1A 03 6B 01 20 53 F2"
            ),
            (Query.strokeStatistics.throughUserConfiguration.command, "F1 1A 03 6E 01 00 76 F2"),
            (Query.errorType.throughUserConfiguration.command, "F1 1A 01 C8 D3 F2"),
            (Query.errorValue.throughUserConfiguration.command, "F1 1A 01 C9 D2 F2"),
            (
                .wrapped(.getData, [.get(Query.extendedHeartRateBelt(user: 0))]),
                "F1 7F 03 57 01 00 2A F2"
            ),
        ] as [(Command, String)])
    func requests(command: Command, hex: String) {
        // Published polling frames.
        #expect(Frame(command).bytes == hexBytes(hex))
    }

    @Test func combinesQueriesInOneFrame() {
        // The published combinations.
        let wrapped = Command.wrapped(
            .getConfiguration,
            [
                .get(Query.workoutType), .get(Query.workoutState), .get(Query.intervalType),
                .get(Query.workoutIntervalCount), .get(Query.ergMachineType),
            ])
        #expect(Frame(wrapped).bytes == hexBytes("F1 7E 05 89 8D 8E 9F ED 83 F2"))
        let live = Frame(
            Query.publicWorkTime.command, Query.pace.command, Query.cadence.command,
            Query.currentHeartRate.command, Query.power.command)
        #expect(live.bytes == hexBytes("F1 A0 A6 A7 B0 B4 A5 F2"))
        let identity = Frame(Query.version.command, Query.serial.command)
        #expect(identity.bytes == hexBytes("F1 91 94 05 F2"))
        #expect(Frame(contents: []).bytes == hexBytes("F1 00 F2"))
    }

    @Test func decodesSetAndGetInOneReply() throws {
        // A recorded answer with wrapped and public replies (tijmenvangulik/ErgometerJS, row100meter.ts,
        // t=1646 ms).
        let response = try response("F1811A03BF0100910716020554011400E0F2")
        #expect(response.status == StatusByte(toggle: true, state: .ready))
        #expect(try response.value(of: .strokeState) == .waitingForMinimumSpeed)
        #expect(try response.value(of: .version) == VersionReply(hardware: 340, software: 20))
        #expect(try response.value(of: .dragFactor) == nil)
        #expect(response.acknowledgedIDs == [])
    }

    @Test func decodesAcknowledgements() throws {
        // Recorded answers with bare IDs inside a set wrapper, two of them stuffed.
        let ids: [UInt8] = [0x01, 0x03, 0x05, 0x14, 0x13]
        #expect(try response("F1017605010305141372F2").acknowledgedIDs == ids)
        #expect(try response("F18176050103051413F302F2").acknowledgedIDs == ids)
        #expect(try response("F18276050103051413F301F2").acknowledgedIDs == ids)
        #expect(try response("F181760113E5F2").acknowledgedIDs == [0x13])
        #expect(try response("F1011A001BF2").acknowledgedIDs == [])
        let terminated = Response(
            status: StatusByte(toggle: true, state: .ready),
            replies: [
                Reply(
                    .setConfiguration,
                    [.acknowledging(.screenState(.workout, .terminateWorkout))])
            ])
        #expect(terminated.frame().bytes == hexBytes("F181760113E5F2"))
    }

    @Test func distinguishesAcknowledgementsFromAnswers() throws {
        // Backlight and race control, the last set ID, acknowledged around a drag factor.
        let backlight = ProprietaryCommand.backlight(state: 1, percent: 50)
        let race = ProprietaryCommand.raceControl(
            RaceControlParameters(
                restToWorkTransitionSeconds: 0, undefinedRestIntervalSeconds: 0, promptSeconds: 0,
                timeCapSeconds: 0))
        let drag = Reply(answering: .dragFactor, 110, in: .setData)
        let sent = Response(
            status: StatusByte(toggle: false, state: .ready),
            replies: [
                Reply(.setData, [.acknowledging(backlight), drag, .acknowledging(race)])
            ])
        let received = try Response(sent.frame())
        #expect(received.acknowledgedIDs == [0x3B, 0x3E])
        #expect(try received.value(of: .dragFactor) == 110)
    }

    @Test func decodesBothFormsOfStatusReply() throws {
        // The bare form of the PM5, and the echoed form of the PM3 era.
        #expect(try response("F18181F2").reportedStatus.rawValue == 0x81)
        #expect(try response("F10180010181F2").reportedStatus.rawValue == 0x01)
    }

    @Test func convertsPaceTo500Metres() throws {
        // The recorded 249 s/km is 2:04.5 per 500 m.
        let reply = Reply(id: 0xA6, data: [0xF9, 0x00, 0x39])
        let response = Response(status: StatusByte(rawValue: 1), replies: [reply])
        let pace = try response.value(of: .pace)
        #expect(pace == UnitValue(249, .secondsPerKilometer))
        #expect(pace?.paceCentisecondsPer500m == 12_450)
    }

    @Test func addsFractionOfWorkDistance() throws {
        // The recorded 5770 + 9 is 577.9 m.
        let reply = Reply(id: 0x1A, data: hexBytes("A3 05 8A 16 00 00 09"))
        let response = Response(status: StatusByte(rawValue: 1), replies: [reply])
        #expect(try response.value(of: .workDistance)?.total == 5779)
        let plain = Reply(id: 0x7F, data: hexBytes("A3 04 00 00 16 8A"))
        let other = Response(status: StatusByte(rawValue: 1), replies: [plain])
        #expect(try other.value(of: .workDistance) == WorkAmount(base: 5770, fraction: nil))
    }

    @Test func screenStatus() throws {
        // The two answers of the reference.
        let pending = try response("F1017E058603010101FEF2").value(of: .screenStatus)
        #expect(pending?.status == .pending)
        let done = try response("F1017E058603010100FFF2").value(of: .screenStatus)
        #expect(
            done
                == ScreenStatusReply(
                    type: .workout, value: .prepareToRowWorkout, status: .inactive))
    }

    @Test func decodesReplyWithStuffedChecksum() throws {
        // The reply for rowing has the checksum F1, which is a flag.
        let response = try response("F1017E038D0101F301F2")
        #expect(try response.value(of: .workoutState) == .workoutRow)
    }

    @Test func throwsForShortData() throws {
        // One byte of a pace.
        let response = Response(
            status: StatusByte(rawValue: 1), replies: [Reply(id: 0xA6, data: [0xF9])])
        #expect(throws: DecodeError.truncated(needed: 2, had: 1)) {
            try response.value(of: .pace)
        }
    }

    @Test func toleratesTruncatedReplies() throws {
        // The contents of each recorded reply, truncated at every length. A truncated reply must not have
        // additional values.
        let replies = try Vector.all(in: "csafe.jsonl").filter {
            $0.expect["response"] != nil && $0.expect["valid"] as? Bool == true
        }
        #expect(replies.count > 20)
        for reply in replies {
            let contents = try Frame(decoding: reply.bytes).contents
            let whole = try Response(Frame(contents: contents)).replies.count
            for length in 0..<contents.count {
                let cut = Result { () throws(DecodeError) in
                    try Response(Frame(contents: Array(contents.prefix(length))))
                }
                switch cut {
                case .success(let response): #expect(response.replies.count <= whole)
                case .failure: #expect(length == 0, "only the status cannot be missing")
                }
            }
        }
    }

    @Test func marksReplyWithCountPastTheEnd() throws {
        // Three bytes announced, one present.
        let response = try Response(Frame(contents: [0x01, 0xB0, 0x01, 0x90, 0xA6, 0x03, 0xF9]))
        #expect(response.isTruncated)
        #expect(try response.value(of: .currentHeartRate) == 0x90)
        #expect(response.replies.last == Reply(id: 0xA6, data: [0xF9]))
        #expect(throws: DecodeError.truncated(needed: 1, had: 0)) {
            try Response(Frame(contents: []))
        }
    }
}

private func response(_ hex: String) throws -> Response {
    try response(try #require(hexBytes(hex)))
}

private func response(_ bytes: [UInt8]) throws -> Response {
    try Response(try Frame(decoding: bytes))
}
