import Glibc
import HostRuntime
import Settings
import Timeline

/// `rowgate-logbook token`: makes tokens, lists those who have one, and takes them back.
package struct TokenDesk {
    private let configurationPath: String

    package init(configurationPath: String) { self.configurationPath = configurationPath }

    /// Prints the token, alone, to standard output. The process's exit status.
    ///
    /// - Parameter athlete: whose records it is good for, with the role `athlete`.
    package func add(_ name: String, role: Role, athlete: String?) -> Int32 {
        change { configuration, holders throws(TokenFile.Fault) in
            guard TokenHolder.isName(name) else {
                throw .init(description: "a name is 1 to 32 of a-z, 0-9 and -, not \"\(name)\"")
            }
            guard !holders.contains(where: { $0.name == name }) else {
                throw .init(
                    description: "\(name) has a token already; rowgate-logbook token remove "
                        + "\(name) takes it back")
            }
            guard holders.count < TokenFile.maximumHolders else {
                throw .init(
                    description: "there are \(holders.count) tokens; remove one that nobody uses")
            }
            let runtime = SystemRuntime()
            let token = Token(by: runtime)
            holders.append(
                TokenHolder(
                    name: name, role: role, athlete: athlete, digest: token.digest,
                    madeMilliseconds: runtime.unixMilliseconds()))
            return {
                let page = configuration.pageAddress
                LogbookLaunch.say(
                    "a token for \(name) (\(Self.words(role, athlete))), shown this once; sign in with it at "
                        + "\(page)sign-in, or open \(page)sign-in#\(token.printed)")
                LogbookLaunch.say(token.printed, to: STDOUT_FILENO)
            }
        }
    }

    /// Whatever it was good for is over with the next request.
    package func remove(_ name: String) -> Int32 {
        change { _, holders throws(TokenFile.Fault) in
            guard let index = holders.firstIndex(where: { $0.name == name }) else {
                let names = holders.map(\.name).joined(separator: ", ")
                throw .init(
                    description: "nobody called \(name) has a token; there are: "
                        + (names.isEmpty ? "none" : names))
            }
            holders.remove(at: index)
            return { LogbookLaunch.say("\(name) has no token any more") }
        }
    }

    /// A line for each: name, role, day.
    package func list() -> Int32 {
        run { file, configuration throws(TokenFile.Fault) in
            for holder in try file.read() {
                let day = configuration.calendar.day(of: holder.madeMilliseconds).text
                LogbookLaunch.say(
                    "\(holder.name)  \(Self.words(holder.role, holder.athlete))  since \(day)",
                    to: STDOUT_FILENO)
            }
        }
    }

    private static func words(_ role: Role, _ athlete: String?) -> String {
        role.rawValue + (athlete.map { " \($0)" } ?? "")
    }

    /// Writes what `edit` makes of the holders, then does what it returns.
    private func change(
        _ edit: (LogbookConfiguration, inout [TokenHolder]) throws(TokenFile.Fault) -> () -> Void
    ) -> Int32 {
        run { file, configuration throws(TokenFile.Fault) in
            let report = try file.change { holders throws(TokenFile.Fault) in
                try edit(configuration, &holders)
            }
            report()
        }
    }

    private func run(
        _ errand: (TokenFile, LogbookConfiguration) throws(TokenFile.Fault) -> Void
    ) -> Int32 {
        do throws(InvalidConfiguration) {
            let (configuration, problems) = try LogbookConfiguration.read(from: configurationPath)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            do throws(TokenFile.Fault) {
                try errand(TokenFile(path: configuration.tokensFile), configuration)
                return 0
            } catch {
                LogbookLaunch.say("rowgate-logbook: \(error)")
                return 1
            }
        } catch {
            LogbookLaunch.say("\(error)")
            return InvalidConfiguration.exitStatus
        }
    }
}
