import Contract
import Glibc
import HostRuntime
import LogbookStores
import MQTTClient
import Settings
import WebServer

/// What the command line of `rowgate-logbook` asks for.
package struct LogbookLaunch: Sendable {
    /// What `--version` prints.
    package static let version = Release.facts

    private let configurationPath: String
    private let listen: String?

    /// - Parameter listen: in place of what the configuration says.
    package init(configurationPath: String, listen: String?) {
        self.configurationPath = configurationPath
        self.listen = listen
    }

    /// Says what is wrong with the configuration, or that nothing is. The process's exit status.
    package func check() -> Int32 {
        do throws(InvalidConfiguration) {
            let (configuration, mistakes) = try LogbookConfiguration.read(from: configurationPath)
            let (faults, unchecked) = configuration.broker.fileProblems(
                credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
            let store = configuration.store?.problems(
                credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
            for setting in unchecked + (store?.unchecked ?? []) {
                Self.say(
                    "warning: \(setting) names a credential, which only systemd can give; "
                        + "not checked")
            }
            let problems = mistakes + faults + (store?.problems ?? [])
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            if let warning = configuration.calendarWarning { Self.say("warning: \(warning)") }
        } catch {
            Self.say("\(error)")
            return InvalidConfiguration.exitStatus
        }
        Self.say("\(configurationPath): ok", to: STDOUT_FILENO)
        return 0
    }

    /// Serves until it is told to stop. The process's exit status.
    package func serve() async -> Int32 {
        let signals = await TerminationSignals()
        do {
            let (configuration, problems) = try LogbookConfiguration.read(from: configurationPath)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            try await serve(configuration, until: signals.request)
            return 0
        } catch let error as InvalidConfiguration {
            Self.say("\(error)")
            return InvalidConfiguration.exitStatus
        } catch let error as StoreFailure {
            Self.say("rowgate-logbook cannot start: \(error)")
            // Trying again helps where waiting does; the rest needs a person.
            return error.isPassing ? 1 : InvalidConfiguration.exitStatus
        } catch {
            Self.say("rowgate-logbook cannot start: \(error)")
            return 1
        }
    }

    private func serve(
        _ configuration: LogbookConfiguration, until request: StopRequest
    ) async throws {
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "logbook"))
        let broker = try configuration.broker.configuration(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
        let store = try configuration.store?.address(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
        let retention = Retention(configuration.store?.retention ?? [:])
        for path in store?.removeLeftCopies() ?? [] {
            log.notice("removed \(path), which an ended restore left")
        }
        let keeper = try store.map { address throws(StoreFailure) in
            try RecordKeeper(
                address.open(for: .keeping), retention: retention, runtime: runtime,
                log: log.scoped(to: "store"))
        }
        let room = LiveRoom(runtime: runtime, log: log)
        let commands = CommandRoom(room: room, runtime: runtime, log: log)
        let races = RaceDesk(
            room: room, commands: commands, path: configuration.racesFile, runtime: runtime,
            log: log)
        let access = Access(
            TokenFile(path: configuration.tokensFile), wall: configuration.wall, runtime: runtime,
            log: log)
        let reader = store.map {
            Self.queue("logbook.reading", $0, for: .looking, keeper, runtime, log)
        }
        let writer = store.map {
            Self.queue("logbook.saying", $0, for: .changing, keeper, runtime, log)
        }
        let book = AthleteBook(in: configuration.calendar)
        let desk = SuggestionDesk(book: book)
        let seats: SuggestionSeats? =
            if let reader, let writer {
                SuggestionSeats(
                    room: room, commands: commands, reader: reader, writer: writer, desk: desk,
                    isOurs: { keeper?.keeps($0) ?? true })
            } else { nil }
        if let seats { commands.report(seats.settled) }
        let watch = Self.watch(reader, book, room, keeper, runtime)
        let records = RecordAnswers(
            reader: reader, writer: writer, room: room, keeper: keeper, book: book, seats: seats,
            answered: { watch?.changed($0) })
        records.readAhead()
        let answers = (configuration.takesCommands ? writer : nil).map { writer in
            SuggestionCommands(
                configuration.topics, room: room, writer: writer, desk: desk, log: log,
                isOurs: { keeper?.isFirst ?? true }, accepted: { seats?.accepted(by: $0) },
                answered: { watch?.changed($0) })
        }
        let site = LogbookSite(
            pages: Pages(timeZone: book.calendar.name), room: room, commands: commands, races: races, access: access,
            records: records)
        let server = try WebServer(
            at: try address(configuration), names: configuration.names + HostName.names,
            headers: LogbookSite.headers, failurePage: FailurePage.html, runtime: runtime,
            handler: site.answer)
        let erasures = ErasureClerk(
            configuration.errands, room: room, runtime: runtime, log: log.scoped(to: "erasures"))
        let listeners = BrokerListener.all(
            broker, over: ConnectionProcess.connector, room: room, commands: commands,
            keeper: keeper, seats: seats, erasures: erasures, answers: answers, runtime: runtime,
            log: log)
        // Who hears what is said replies.
        answers?.begin(listeners[listeners.count - 1].send(reply:))
        commands.begin(listeners[0].send)
        room.start()
        races.start()
        keeper?.start(
            said: { room.words },
            notices: Self.outlets(
                to: listeners[0], as: configuration.topics, room, watch),
            publish: { request in Task { await listeners[0].send(request) } })
        erasures.start { request in Task { await listeners[0].send(request) } }
        for listener in listeners { await listener.start() }
        ServiceNotifier.ready(status: "http://\(server.address)/")
        log.notice("ready, version \(Release.version): http://\(server.address)/")
        if let warning = configuration.calendarWarning { log.warning(warning) }
        log.notice("days are counted in the time zone \(book.calendar.name)")
        if let keeper { log.notice("records are kept in \(keeper.place)") }
        if let words = retention.words { log.notice("of these \(words), and no longer") }
        let signal = await request.signal()
        log.notice("stopping on signal \(signal)")
        ServiceNotifier.stopping()
        for listener in listeners { await listener.stop() }
        races.stop()
        erasures.stop()
        room.stop()
        server.stop()
        // Before the keeper, which as the last one moves the write-ahead log into the store.
        reader?.stop()
        writer?.stop()
        keeper?.stop()
        for (reason, count) in room.refused {
            log.notice("messages not shown because \(reason.rawValue): \(count)")
        }
        for (reason, count) in keeper?.refused ?? [:] {
            log.notice("records refused because \(reason.words): \(count)")
        }
        for (code, count) in answers?.refused ?? [:] {
            log.notice("what was said of suggestions, refused as \(code.rawValue): \(count)")
        }
    }

    /// A connection to the store of its own.
    private static func queue(
        _ label: String, _ store: StoreAddress, for access: SQLStore.Access,
        _ keeper: RecordKeeper?, _ runtime: any Runtime, _ log: SystemLog
    ) -> StoreQueue {
        StoreQueue(label, runtime: runtime, log: log.scoped(to: "store")) {
            () throws(StoreFailure) in
            keeper?.openFileInPlace()
            return try store.open(for: access)
        }
    }

    /// Who finds out what is to be said; nil where nothing is kept.
    private static func watch(
        _ reader: StoreQueue?, _ book: AthleteBook, _ room: LiveRoom, _ keeper: RecordKeeper?,
        _ runtime: any Runtime
    ) -> BestWatch? {
        guard let reader, let keeper else { return nil }
        return BestWatch(
            reader: reader, book: book, room: room, runtime: runtime,
            further: { athlete, pieces, store, now throws(StoreFailure) in
                var changes = try SuggestionNotices.changes(
                    of: athlete, pieces, in: store, at: now, calendar: book.calendar)
                changes.merge(
                    try TrainingNotices.changes(
                        of: athlete, pieces, in: store, at: now, calendar: book.calendar))
                return changes
            },
            take: { [weak keeper] in keeper?.take($0) })
    }

    /// Where what the logbook says by itself goes.
    private static func outlets(
        to listener: BrokerListener, as topics: LogbookTopicMap, _ room: LiveRoom,
        _ watch: BestWatch?
    ) -> NoticeOutlets {
        var outlets = NoticeOutlets()
        outlets.publish = { notice, epoch in
            Task { await listener.publish(notice, as: topics, epoch: epoch) }
        }
        outlets.tell = { room.tell($0) }
        outlets.settled = { watch?.settled($0) }
        outlets.look = { watch?.look() }
        return outlets
    }

    private func address(_ configuration: LogbookConfiguration) throws -> ListenAddress {
        guard let listen else { return configuration.listen }
        guard let address = ListenAddress(listen) else {
            throw ConfigurationFault(
                "\"\(listen)\" is no address to listen at; \(LogbookConfiguration.listenAdvice)")
        }
        return address
    }

    static func say(_ line: String, to descriptor: Int32 = STDERR_FILENO) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
