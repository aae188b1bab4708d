import AvahiClient
import Contract
import Glibc
import HostRuntime
import LogbookStores
import MQTTClient
import Settings
import WebPages
import WebServer

/// Runs `rowgate-logbook`: checks the configuration or serves the pages.
package struct LogbookLaunch: Sendable {
    /// The output of `--version`.
    package static let version = Release.facts

    private let configurationPath: String
    private let listen: String?

    /// - Parameter listen: Overrides the address in the configuration; nil to use that.
    package init(configurationPath: String, listen: String?) {
        self.configurationPath = configurationPath
        self.listen = listen
    }

    /// Checks the configuration and prints its problems. Returns the exit status.
    package func check() -> Int32 {
        do throws(InvalidConfiguration) {
            let (configuration, mistakes) = try LogbookConfiguration.read(from: configurationPath)
            let (faults, unchecked) = configuration.broker.fileProblems(
                credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
            let store = configuration.store?.problems(
                credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
            let uploads = configuration.uploads.problems(
                credentialsDirectory: CredentialFile.directory, settings: configuration.settings,
                pages: configuration.pageAddress)
            for setting in unchecked + (store?.unchecked ?? []) + uploads.unchecked {
                Self.printLine(
                    "warning: \(setting) names a credential, which only systemd can give; "
                        + "not checked")
            }
            let problems =
                mistakes + faults + (store?.problems ?? []) + uploads.problems + configuration.logoProblems
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            if let warning = configuration.club.calendarWarning { Self.printLine("warning: \(warning)") }
        } catch {
            Self.printLine("\(error)")
            return InvalidConfiguration.exitStatus
        }
        Self.printLine("\(configurationPath): ok", to: STDOUT_FILENO)
        return 0
    }

    /// Serves until a termination signal. Returns the exit status.
    package func serve() async -> Int32 {
        let signals = await TerminationSignals()
        do {
            let (configuration, problems) = try LogbookConfiguration.read(from: configurationPath)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            try await serve(configuration, until: signals.request)
            return 0
        } catch let error as InvalidConfiguration {
            Self.printLine("\(error)")
            return InvalidConfiguration.exitStatus
        } catch let error as StoreFailure {
            Self.printLine("rowgate-logbook cannot start: \(error)")
            // systemd restarts the service only for temporary failures.
            return error.isTransient ? 1 : InvalidConfiguration.exitStatus
        } catch {
            Self.printLine("rowgate-logbook cannot start: \(error)")
            return 1
        }
    }

    /// Returns the club of the pages. Without a usable logo, pages have none.
    private static func pageClub(_ configuration: LogbookConfiguration, _ log: SystemLog) -> PageClub {
        for problem in configuration.logoProblems { log.warning("pages have no logo: \(problem)") }
        let club = configuration.club
        return PageClub(name: club.name, logo: try? club.logo(), timeZone: club.calendar.name)
    }

    private func serve(
        _ read: LogbookConfiguration, until request: StopRequest
    ) async throws {
        var configuration = read
        configuration.listen = try address(read)
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "logbook"))
        let broker = try configuration.broker.configuration(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
        let store = try configuration.store?.address(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
        let retention = RetentionSchedule(configuration.store?.retention ?? [:])
        for path in store?.removeLeftCopies() ?? [] {
            log.notice("removed \(path), left by an interrupted restore")
        }
        let ingester = try store.map { address throws(StoreFailure) in
            try RecordIngester(
                address.open(for: .recording), below: configuration.topicPrefix, retention: retention,
                runtime: runtime, log: log.scoped(to: "store"))
        }
        let room = LiveRoom(below: configuration.topicPrefix, runtime: runtime, log: log)
        let commands = CommandService(room: room, runtime: runtime, log: log)
        let reader = store.map {
            Self.queue("logbook.reading", $0, for: .readOnly, ingester, runtime, log)
        }
        let writer = store.map {
            Self.queue("logbook.writing", $0, for: .editing, ingester, runtime, log)
        }
        let races = RaceService(
            room: room, commands: commands, path: configuration.racesFile,
            archive: writer.map { RaceArchive(writer: $0, log: log) }, runtime: runtime, log: log)
        let regattas = RegattaHandler(
            reader: reader, writer: writer, races: races, runtime: runtime, log: log)
        let users = Self.userStorage(reader, writer, runtime)
        let access = AccessControl(
            TokenFile(path: configuration.tokensFile), users: users?.directory, wall: configuration.wall,
            runtime: runtime, log: log)
        let history = AthleteHistory(in: configuration.club.calendar)
        let suggestionService = SuggestionService(history: history)
        let workoutSender: SuggestedWorkoutSender? =
            if let reader, let writer {
                SuggestedWorkoutSender(
                    room: room, commands: commands, reader: reader, writer: writer,
                    suggestionService: suggestionService,
                    isResponsible: { ingester?.stores($0) ?? true },
                    currentAthlete: { users?.directory.currentAthlete($0) ?? $0 })
            } else { nil }
        if let workoutSender { commands.onOwnCommandEnded(workoutSender.commandEnded) }
        let noticeUpdater = Self.noticeUpdater(reader, history, room, ingester, runtime)
        let metricsUpdater = writer.map {
            SessionMetricsUpdater(writer: $0, history: history, runtime: runtime)
        }
        let records = RecordRequestHandler(
            reader: reader, writer: writer, room: room, ingester: ingester, history: history,
            workoutSender: workoutSender, directory: users?.directory,
            onAthleteChanged: { noticeUpdater?.athleteChanged($0) })
        let suggestionCommands = (configuration.acceptsCommands ? writer : nil).map { writer in
            SuggestionCommandHandler(
                configuration.topics, room: room, writer: writer, suggestionService: suggestionService,
                log: log, isResponsible: { ingester?.isFirst ?? true },
                onAccepted: { workoutSender?.suggestionAccepted(by: $0) },
                onAnswered: { noticeUpdater?.athleteChanged($0) })
        }
        let checkIn = CheckInService(
            for: configuration.openCheckIn, reader: reader,
            claims: ErgClaimService(room: room, commands: commands), runtime: runtime, log: log)
        let pages = Pages(of: Self.pageClub(configuration, log))
        let pieceLinks = PieceLinkHandler(
            records, access: access, pages: pages, configuredAddress: configuration.pageAddress,
            runtime: runtime, log: log)
        let uploads = try uploadService(configuration, writer, history, room, ingester, runtime, log)
        let linkCleaner = writer.map { PieceLinkCleaner(writer: $0, runtime: runtime, log: log) }
        let router = LogbookRouter(
            pages: pages, room: room, commands: commands,
            races: races, regattas: regattas, access: access, records: records,
            users: UserRequestHandler(
                users, access: access, configuredAddress: configuration.pageAddress, runtime: runtime,
                log: log), pieceLinks: pieceLinks,
            uploads: UploadRequestHandler(
                records, uploads, permitsPlainHTTP: configuration.uploads.permitsPrivateAddresses,
                runtime: runtime, log: log.scoped(to: "uploads")),
            checkIn: checkIn)
        let server = try WebServer(
            at: configuration.listen, names: configuration.names + HostName.names,
            headers: LogbookRouter.headers, failurePage: FailurePage.html, runtime: runtime,
            handler: router.answer)
        let erasures = ErasureService(
            configuration.erasureRequests, room: room, runtime: runtime, log: log.scoped(to: "erasures"))
        let roster = reader.map { reader in
            RosterService(
                of: configuration.topics.logbook, reader: reader, room: room, runtime: runtime,
                log: log.scoped(to: "athletes"), isResponsible: { ingester?.isFirst ?? true })
        }
        let listeners = BrokerListener.all(
            broker, over: ConnectionProcess.connector,
            handlers: MessageRouter(
                room: room, commands: commands, ingester: ingester, workoutSender: workoutSender,
                erasures: erasures, roster: roster, suggestionCommands: suggestionCommands),
            runtime: runtime, log: log)
        // The last listener subscribes to suggestion commands, so it also publishes the replies.
        suggestionCommands?.start(listeners[listeners.count - 1].send(reply:))
        commands.start(listeners[0].send)
        room.start()
        races.start()
        ingester?.start(
            statusMessages: { room.statusMessages },
            notices: Self.noticeHandlers(
                to: listeners[0], as: configuration.topics, room, noticeUpdater, metricsUpdater, uploads),
            publish: { request in Task { await listeners[0].send(request) } })
        erasures.start { request in Task { await listeners[0].send(request) } }
        roster?.start { request in Task { await listeners[0].send(request) } }
        users?.directory.start()
        linkCleaner?.start()
        checkIn.start()
        uploads?.start()
        for listener in listeners { await listener.start() }
        ServiceNotifier.ready(status: "http://\(server.address)/")
        log.notice("ready, version \(Release.version): http://\(server.address)/")
        if let warning = configuration.club.calendarWarning { log.warning(warning) }
        log.notice("days are counted in the time zone \(history.calendar.name)")
        if let ingester { log.notice("records are stored in \(ingester.place)") }
        // The port, if any free one was requested.
        configuration.listen = ListenAddress(server.address) ?? configuration.listen
        let announcer = Self.announcer(configuration, log)
        await announcer?.start()
        if let users { inviteFirstCaptain(configuration, users, runtime, log) }
        if let summary = retention.summary { log.notice("retention: \(summary)") }
        let signal = await request.signal()
        log.notice("stopping on signal \(signal)")
        ServiceNotifier.stopping()
        // Not awaited: the end of the process closes its connection to the bus, too.
        Task { await announcer?.stop() }
        for listener in listeners { await listener.stop() }
        races.stop()
        erasures.stop()
        roster?.stop()
        room.stop()
        server.stop()
        users?.directory.stop()
        linkCleaner?.stop()
        checkIn.stop()
        uploads?.stop()
        // Before the ingester: the last connection to close checkpoints the write-ahead log.
        reader?.stop()
        writer?.stop()
        ingester?.stop()
        for (reason, count) in room.refused {
            log.notice("messages not shown (\(reason.rawValue)): \(count)")
        }
        for (reason, count) in ingester?.refused ?? [:] {
            log.notice("records refused (\(reason.message)): \(count)")
        }
        for (code, count) in suggestionCommands?.refused ?? [:] {
            log.notice("suggestion commands refused (\(code.rawValue)): \(count)")
        }
    }

    /// Creates a queue with a separate connection to the store.
    private static func queue(
        _ label: String, _ store: StoreAddress, for access: SQLStore.Access,
        _ ingester: RecordIngester?, _ runtime: any Runtime, _ log: SystemLog
    ) -> StoreQueue {
        StoreQueue(label, runtime: runtime, log: log.scoped(to: "store")) {
            () throws(StoreFailure) in
            ingester?.reopenReplacedFile()
            return try store.open(for: access)
        }
    }

    /// Creates the uploads to other services; nil if they are off. Throws if a file of keys or secrets cannot be used.
    private func uploadService(
        _ configuration: LogbookConfiguration, _ writer: StoreQueue?, _ history: AthleteHistory,
        _ room: LiveRoom, _ ingester: RecordIngester?, _ runtime: any Runtime, _ log: SystemLog
    ) throws -> UploadService? {
        let prepared = try configuration.uploads.prepared(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings,
            pages: configuration.pageAddress)
        guard let prepared, let writer else { return nil }
        return UploadService(
            prepared, writer: writer, reading: SessionReading(history: history, room: room),
            isResponsible: { ingester?.isFirst ?? true }, runtime: runtime, log: log.scoped(to: "uploads"))
    }

    /// Creates the announcer of the wall; nil if it is off, or if no other machine can open the wall.
    private static func announcer(_ configuration: LogbookConfiguration, _ log: SystemLog)
        -> ServiceAnnouncer?
    {
        guard let announcement = configuration.announcement(hostName: HostName.names.first ?? "rowgate")
        else { return nil }
        return ServiceAnnouncer(
            executor: SerialQueueExecutor(label: "logbook.announcer"),
            acceptedHostNames: Set(configuration.names + HostName.names), log: log.scoped(to: "announcer")
        ) { announcement }
    }

    private static func userStorage(
        _ reader: StoreQueue?, _ writer: StoreQueue?, _ runtime: any Runtime
    ) -> UserRequestHandler.Storage? {
        guard let reader, let writer else { return nil }
        return .init(
            reader: reader, writer: writer,
            directory: UserDirectory(reader: reader, writer: writer, runtime: runtime))
    }

    /// Logs a link that signs a captain in, if nobody has signed in yet and no token of a coach exists.
    private func inviteFirstCaptain(
        _ configuration: LogbookConfiguration, _ users: UserRequestHandler.Storage, _ runtime: any Runtime,
        _ log: SystemLog
    ) {
        let holders = (try? TokenFile(path: configuration.tokensFile).read()) ?? []
        guard !holders.contains(where: { $0.role.includes(.coach) }) else { return }
        let (now, address) = (runtime.unixMilliseconds(), String(configuration.pageAddress.dropLast()))
        _ = users.writer.perform(
            { store in
                guard
                    let invitation = try UserRepository.firstInvitation(in: store, at: now, by: runtime)
                else { return }
                log.notice(
                    "sign in as captain within an hour, once: \(invitation.link(below: address)); "
                        + "rowgate-logbook invite --role captain creates another link")
            }, failed: { log.warning("cannot create the first invitation: \($0)") })
    }

    /// Creates the updater of athletes' notices: messages that the logbook stores and publishes about new bests,
    /// suggestions and training. nil without a store.
    private static func noticeUpdater(
        _ reader: StoreQueue?, _ history: AthleteHistory, _ room: LiveRoom, _ ingester: RecordIngester?,
        _ runtime: any Runtime
    ) -> AthleteNoticeUpdater? {
        guard let reader, let ingester else { return nil }
        return AthleteNoticeUpdater(
            reader: reader, history: history, room: room, runtime: runtime,
            otherChanges: { athlete, pieces, store, now throws(StoreFailure) in
                var changes = try SuggestionNotices.changes(
                    of: athlete, pieces, in: store, at: now, calendar: history.calendar)
                changes.merge(
                    try TrainingNotices.changes(
                        of: athlete, pieces, in: store, at: now, calendar: history.calendar))
                return changes
            },
            apply: { [weak ingester] in ingester?.enqueue($0) })
    }

    /// Creates the handlers of notices.
    private static func noticeHandlers(
        to listener: BrokerListener, as topics: LogbookTopicMap, _ room: LiveRoom,
        _ noticeUpdater: AthleteNoticeUpdater?, _ metricsUpdater: SessionMetricsUpdater?,
        _ uploads: UploadService?
    ) -> NoticeHandlers {
        var handlers = NoticeHandlers()
        handlers.publish = { notice, epoch in
            Task { await listener.publish(notice, as: topics, epoch: epoch) }
        }
        handlers.show = { room.showBest($0) }
        handlers.sessionsChanged = {
            noticeUpdater?.sessionsChanged($0)
            metricsUpdater?.sessionsChanged($0)
            uploads?.sessionsChanged($0)
        }
        handlers.recordsRemoved = { metricsUpdater?.recordsRemoved() }
        handlers.tick = {
            noticeUpdater?.checkPending()
            metricsUpdater?.tick()
            uploads?.tick()
        }
        return handlers
    }

    private func address(_ configuration: LogbookConfiguration) throws -> ListenAddress {
        guard let listen else { return configuration.listen }
        guard let address = ListenAddress(listen) else {
            throw ConfigurationFault(
                "\"\(listen)\" is not a valid address; \(LogbookConfiguration.listenAdvice)")
        }
        return address
    }

    static func printLine(_ line: String, to descriptor: Int32 = STDERR_FILENO) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
