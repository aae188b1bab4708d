import Glibc
import HostRuntime
import SDBus
import Synchronization
import TestSupport
import Testing

/// Writing and reading of messages, over a real dbus-daemon.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BusMessageTests {
    /// A value of each type, at the edges of its range.
    private static let values: [BusValue] = [
        .byte(0), .byte(.max), .boolean(true), .boolean(false), .int16(.min), .int16(.max),
        .uint16(.max), .int32(.min), .int32(.max), .uint32(.max), .int64(.min), .int64(.max),
        .uint64(.max), .double(-0.5), .double(.greatestFiniteMagnitude), .string(""),
        .string("Ä \u{1F6A3} \"quoted\"\n"), .objectPath("/"), .objectPath("/org/bluez/hci0"),
        .signature(""), .signature("a{sa{sv}}"), .bytes([]), .bytes(Array(0...255)),
        .bytes([UInt8](repeating: 7, count: 100_000)),
        .array([], of: "s"), .array([.string("a"), .string("")], of: "s"), .array([], of: "(is)"),
        .array([.objectPath("/a")], of: "o"), .array([.uint64(1), .uint64(2)], of: "t"),
        .array([.array([.int32(1)], of: "i"), .array([], of: "i")], of: "ai"),
        .array([.variant(.byte(1)), .variant(.string("x"))], of: "v"), .dictionary([:]),
        .dictionary(["a": .boolean(true), "": .dictionary(["b": .bytes([1])])]),
        .numberedDictionary([:]), .numberedDictionary([0x4C: .bytes([1, 2]), 0: .string("x")]),
        .variant(.variant(.uint16(3))),
    ]

    @Test func roundTripsEveryType() async throws {
        let bench = try await EchoBench { call throws(BusError) in
            let (plain, wrapped) = (try call.message.readValue(), try call.message.readVariant())
            try call.reply { message throws(BusError) in
                try message.append(plain)
                try message.append(variant: wrapped)
            }
        }
        for value in Self.values {
            let (plain, wrapped) = try await bench.call(
                write: { message throws(BusError) in
                    try message.append(value)
                    try message.append(variant: value)
                },
                read: { message throws(BusError) in
                    (try message.readValue(), try message.readVariant())
                })
            #expect(plain == value && wrapped == value, "\(value.signature)")
        }
        #expect(bench.signatures == Self.values.map { $0.signature + "v" })
        await bench.stop()
    }

    @Test func roundTripsEveryTypedFunction() async throws {
        let properties: BusProperties = ["Rssi": .int16(-61), "Name": .string("PM5")]
        let tree: BusObjectTree = [
            "/a": ["org.example.I": properties, "org.example.Empty": [:]], "/b": [:],
        ]
        let bench = try await EchoBench { call throws(BusError) in
            let text = try call.message.readString()
            let path = try call.message.readObjectPath()
            let flag = try call.message.readBoolean()
            let short = try call.message.readUInt16()
            let long = try call.message.readUInt32()
            let bytes = try call.message.readBytes()
            let strings = try call.message.readStrings()
            let interfaces = try call.message.readInterfaces()
            let objects = try call.message.readObjectTree()
            try call.reply { answer throws(BusError) in
                try answer.append(objectTree: objects)
                try answer.append(interfaces: interfaces)
                try answer.append(strings: strings)
                try answer.append(bytes: bytes)
                try answer.append(uint32: long)
                try answer.append(uint16: short)
                try answer.append(boolean: flag)
                try answer.append(objectPath: path)
                try answer.append(string: text)
            }
        }
        let isSame = try await bench.call(
            write: { message throws(BusError) in
                try message.append(string: "héllo")
                try message.append(objectPath: "/org/bluez")
                try message.append(boolean: true)
                try message.append(uint16: 65535)
                try message.append(uint32: 1 << 31)
                try message.append(bytes: [])
                try message.append(strings: ["", "two"])
                try message.append(interfaces: tree["/a"] ?? [:])
                try message.append(objectTree: tree)
            },
            read: { message throws(BusError) in
                var same = try message.readObjectTree() == tree
                same = try message.readInterfaces() == tree["/a"] && same
                same = try message.readStrings() == ["", "two"] && same
                same = try message.readBytes() == [] && same
                same = try message.readUInt32() == 1 << 31 && same
                same = try message.readUInt16() == 65535 && same
                same = try message.readBoolean() && same
                same = try message.readObjectPath() == "/org/bluez" && same
                return try message.readString() == "héllo" && same
            })
        #expect(isSame)
        #expect(bench.signatures == ["sobquayasa{sa{sv}}a{oa{sa{sv}}}"])
        await bench.stop()
    }

    @Test func passesDescriptors() async throws {
        let bench = try await EchoBench { call throws(BusError) in
            let end = try call.message.readFileDescriptor()
            defer { close(end) }
            try call.reply { message throws(BusError) in
                try message.append(fileDescriptor: end)
            }
        }
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let sent = ends[1]
        let returned = try await bench.call(
            write: { message throws(BusError) in try message.append(fileDescriptor: sent) },
            read: { message throws(BusError) in try message.readFileDescriptor() })
        #expect(returned != sent && fcntl(returned, F_GETFD) & FD_CLOEXEC != 0)
        close(sent)
        #expect(write(returned, "x", 1) == 1)
        close(returned)
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1 && byte == UInt8(ascii: "x"))
        close(ends[0])
        await bench.stop()
    }

    @Test(
        arguments: [
            .objectPath("no path"), .objectPath(""), .signature("(("), .signature("a"),
            .array([.string("a")], of: "i"), .array([], of: "{s"), .array([], of: ""),
            .array([.int32(1)], of: "is"), .variant(.objectPath("/a/")),
        ] as [BusValue])
    func rejectsMalformedValues(value: BusValue) async throws {
        let bench = try await EchoBench { call throws(BusError) in try call.reply() }
        let error = await #expect(throws: BusError.self) {
            try await bench.call(
                write: { message throws(BusError) in try message.append(variant: value) },
                read: { _ throws(BusError) in })
        }
        #expect(error?.errno ?? 0 != 0 && error?.name == nil)
        #expect(bench.signatures == [])
        await bench.stop()
    }

    @Test func wrongReadsThrowAndKeepTheCursor() async throws {
        let bench = try await EchoBench { call throws(BusError) in
            try call.reply { message throws(BusError) in
                try message.append(string: "first")
                try message.append(uint16: 7)
            }
        }
        let errors = Mutex<[BusError]>([])
        let read = try await bench.call(
            write: { _ throws(BusError) in },
            read: { message throws(BusError) in
                func expectFailure(_ read: () throws(BusError) -> Void) {
                    do throws(BusError) { try read() } catch {
                        errors.withLock { $0.append(error) }
                    }
                }
                expectFailure { () throws(BusError) in _ = try message.readUInt32() }
                expectFailure { () throws(BusError) in _ = try message.readBytes() }
                let text = try message.readString()
                expectFailure { () throws(BusError) in _ = try message.readProperties() }
                let number = try message.readUInt16()
                expectFailure { () throws(BusError) in _ = try message.readString() }
                return "\(text) \(number)"
            })
        #expect(read == "first 7")
        #expect(errors.withLock { $0.map(\.errno) } == [ENXIO, ENXIO, ENXIO, ENXIO])
        await bench.stop()
    }

    @Test(arguments: [
        ["(is)", "1", "x"], ["a{us}", "1", "1", "x"], ["v", "(i)", "1"], ["a(y)", "1", "1"],
    ])
    func rejectsUnsupportedTypes(arguments: [String]) async throws {
        let bench = try await EchoBench { call throws(BusError) in
            let value = try call.message.readValue()
            try call.reply { message throws(BusError) in
                try message.append(string: value.signature)
            }
        }
        let busctl = try ChildProcess(
            "busctl",
            [
                "--address=\(bench.bus.address)", "call", EchoBench.name, "/bench",
                "org.example.Bench", "Echo",
            ] + arguments)
        #expect(await eventually { busctl.text.contains("read a value of type") }, "\(busctl.text)")
        await bench.stop()
    }
}
