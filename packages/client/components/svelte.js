export { default as HumanVerification } from './HumanVerification.svelte'
